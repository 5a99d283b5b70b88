//! A copy goes from one buffer to another: the driver refuses one that overlaps (F64).

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.on(stream).copy(buffer, buffer)
}

fn main() {}
