//! The mend of `ui-tests/copy_to_itself.rs`. Copy between two buffers, or between parts that `split_at_mut` gives.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let (from, mut to) = buffer.split_at_mut(buffer.len() / 2)?;
    gpu.on(stream).copy(&from, &mut to)
}

fn main() {}
