//! What a graph writes is named once, exclusively: capture again for a graph that reads it too.

use cuscope::{DeviceBuffer, Graph, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    graph: &Graph<'ctx>,
    mut y: DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.on(stream).replay(graph, (&y, &mut y))
}

fn main() {}
