//! The mend of `ui-tests/host_memory_in_capture.rs`. Upload before a replay, and download after it.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &mut Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
    host: &[f32],
) -> Result {
    gpu.on(stream).upload(host, buffer)?;
    gpu.capture(stream, |c| c.stream().fill(&mut c.hold(buffer), 1.0)).map(drop)
}

fn main() {}
