//! The mend of `ui-tests/graph_buffers_are_sealed.rs`. Wrap no buffers, pass them.

use cuscope::{DeviceBuffer, graph::GraphBuffers};

struct Mine<'b, 'ctx>(&'b DeviceBuffer<'ctx, f32>);

fn captures<'ctx>(_: impl GraphBuffers<'ctx>) {}

fn right(mine: Mine<'_, '_>) {
    captures((mine.0,));
}

fn main() {}
