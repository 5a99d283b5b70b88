//! The mend of `ui-tests/cast_written_while_read.rs`. Use it again when the cast is gone.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    x: &mut DeviceBuffer<'ctx, u32>,
) -> Result {
    let mut bytes = x.cast_mut::<u8>()?;
    gpu.on(stream).zero(&mut bytes)?;
    gpu.on(stream).to_vec(&x.cast::<u8>()?).map(drop)
}

fn main() {}
