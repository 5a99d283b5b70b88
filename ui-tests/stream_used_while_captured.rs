//! A stream that is captured is not asked, waited for or used: that would spoil the capture, or never
//! be run. Use the capture's stream, or another stream.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &mut Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, u32>,
) -> Result {
    gpu.capture(stream, |_| gpu.on(stream).zero(buffer)).map(drop)
}

fn main() {}
