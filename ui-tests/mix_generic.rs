//! A function that takes a guard and a handle says that they belong together, by one lifetime.
//!
//! **Why:** Otherwise it would accept a handle of another context (F34). It is a part of `own-context`.
//!
//! **Mend:** Write `'ctx` for both. See `ui-tests/mended/mix_generic.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'a, 'b>(
    gpu: &PushedGuard<'a>,
    stream: &Stream<'b>,
    buffer: &mut DeviceBuffer<'b, u32>,
) -> Result {
    gpu.on(stream).zero(buffer)
}

fn main() {}
