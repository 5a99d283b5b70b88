//! A buffer that is cast for writing is borrowed, as by `slice_mut`. Use it again when the cast is gone.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    x: &mut DeviceBuffer<'ctx, u32>,
) -> Result {
    let mut bytes = x.cast_mut::<u8>()?;
    gpu.on(stream).copy(&x.cast::<u8>()?, &mut bytes)
}

fn main() {}
