//! What a scope holds is ordered by the scope: replay on its streams, `s.on(&stream).replay(…)`.

use cuscope::{DeviceBuffer, Graph, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    graph: &Graph<'ctx>,
    y: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        let mut y = s.hold(y);
        gpu.on(stream).replay(graph, &mut y)
    })
}

fn main() {}
