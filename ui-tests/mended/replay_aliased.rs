//! The mend of `ui-tests/replay_aliased.rs`. Capture again for a graph that reads it too.

use cuscope::{DeviceBuffer, Graph, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    graph: &Graph<'ctx>,
    mut y: DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.on(stream).replay(graph, &mut y)
}

fn main() {}
