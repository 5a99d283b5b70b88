//! The mend of `ui-tests/held_replayed_blocking.rs`. Replay on a stream of the scope.

use cuscope::{DeviceBuffer, Graph, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    graph: &Graph<'ctx>,
    y: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        let mut y = s.hold(y);
        s.on(stream).replay(graph, &mut y)
    })
}

fn main() {}
