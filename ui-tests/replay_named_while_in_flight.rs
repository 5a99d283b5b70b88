//! What a replay in a scope names stays lent until the scope has waited: hold it, and download `&held`.

use cuscope::{DeviceBuffer, Graph, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    graph: &Graph<'ctx>,
    y: &mut DeviceBuffer<'ctx, f32>,
    host: &mut [f32],
) -> Result {
    gpu.scope(|s| {
        s.on(stream).replay(graph, &mut *y)?;
        gpu.on(stream).download(y, host)
    })
}

fn main() {}
