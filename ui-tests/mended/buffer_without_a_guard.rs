//! The mend of `ui-tests/buffer_without_a_guard.rs`. Call `from_slice` of a stream, or `alloc` of the guard.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    let x = gpu.on(stream).from_slice(&[1.0_f32, 2.0])?;
    let y: DeviceBuffer<'ctx, f32> = gpu.on(stream).zeroed(2)?;
    Ok(())
}

fn main() {}
