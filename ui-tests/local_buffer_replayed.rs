//! A graph that a scope replays may run until the scope ends: lend it memory that lives longer.

use cuscope::{DeviceBuffer, Graph, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    graph: &Graph<'ctx>,
    (x, mut y): (DeviceBuffer<'ctx, f32>, DeviceBuffer<'ctx, f32>),
    (mut all, rest): (Vec<DeviceBuffer<'ctx, f32>>, Vec<DeviceBuffer<'ctx, f32>>),
) -> Result {
    gpu.scope(move |s| {
        let stream = s.on(stream);
        stream.replay(graph, (&x, &mut y))?;
        stream.replay(graph, (&mut all[..], &rest[..]))
    })
}

fn main() {}
