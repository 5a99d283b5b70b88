//! The mend of `ui-tests/local_buffer_replayed.rs`. Lend it memory that lives longer.

use cuscope::{DeviceBuffer, Graph, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    graph: &Graph<'ctx>,
    (x, mut y): (DeviceBuffer<'ctx, f32>, DeviceBuffer<'ctx, f32>),
    (mut all, rest): (Vec<DeviceBuffer<'ctx, f32>>, Vec<DeviceBuffer<'ctx, f32>>),
) -> Result {
    gpu.scope(|s| {
        let stream = s.on(stream);
        stream.replay(graph, (&x, &mut y))?;
        stream.replay(graph, (&mut all[..], &rest[..]))
    })
}

fn main() {}
