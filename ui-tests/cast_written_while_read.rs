//! A buffer that is cast for writing is borrowed, as by `slice_mut`.
//!
//! **Why:** Both views have the same bytes. The copy would read bytes that it has just written, or is about to write.
//! It is a part of `plain-data`.
//!
//! **Mend:** Use it again when the cast is gone. See `ui-tests/mended/cast_written_while_read.rs`.
//!
//! **Mistake** (E0502):

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
