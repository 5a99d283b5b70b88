//! No host memory in a graph, which would use it at each replay: upload before a replay, download after it.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &mut Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
    host: &[f32],
) -> Result {
    gpu.capture(stream, |c| c.stream().upload(host, &mut c.hold(buffer))).map(drop)
}

fn main() {}
