//! The mend of `ui-tests/mix_generic.rs`. Write `'ctx` for both.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, u32>,
) -> Result {
    gpu.on(stream).zero(buffer)
}

fn main() {}
