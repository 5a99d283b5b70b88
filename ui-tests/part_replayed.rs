//! A graph keeps whole buffers.
//!
//! **Why:** A part does not stand for its buffer in a replay. It is a part of `replay-names`.
//!
//! **Mend:** Name the whole buffer. See `ui-tests/mended/part_replayed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{DeviceBuffer, Graph, Result, SyncStream};

fn misuse<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    graph: &Graph<'ctx>,
    x: &DeviceBuffer<'ctx, f32>,
    y: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    stream.replay(graph, (x, &mut y.slice_mut(..4)?))
}

fn main() {}
