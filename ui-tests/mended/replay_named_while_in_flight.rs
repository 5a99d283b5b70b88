//! The mend of `ui-tests/replay_named_while_in_flight.rs`. Hold it, and download `&held`.

use cuscope::{DeviceBuffer, Graph, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    graph: &Graph<'ctx>,
    y: &mut DeviceBuffer<'ctx, f32>,
    host: &mut [f32],
) -> Result {
    gpu.scope(|s| {
        let mut held = s.hold(y);
        s.on(stream).replay(graph, &mut held)?;
        s.on(stream).download(&held, host)
    })
}

fn main() {}
