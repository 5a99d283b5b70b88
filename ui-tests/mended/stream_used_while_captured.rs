//! The mend of `ui-tests/stream_used_while_captured.rs`. Use the capture's stream, or another stream.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &mut Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, u32>,
) -> Result {
    gpu.capture(stream, |c| c.stream().zero(&mut c.hold(buffer))).map(drop)
}

fn main() {}
