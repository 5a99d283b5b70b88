//! A function that takes a guard and a handle says that they belong together, by one lifetime:
//! otherwise it would accept a handle of another context (F34). Write `'ctx` for both.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'a, 'b>(
    gpu: &PushedGuard<'a>,
    stream: &Stream<'b>,
    buffer: &mut DeviceBuffer<'b, u32>,
) -> Result {
    gpu.on(stream).zero(buffer)
}

fn main() {}
