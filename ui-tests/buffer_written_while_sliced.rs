//! A slice of a buffer reads it: write the buffer before it is sliced, or when the slice is not used any
//! more.

use cuscope::{DeviceBuffer, Function, LaunchConfig, SyncStream, Result};

fn misuse<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let part = x.slice(..8)?;
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 8), (part, &mut *x)) }
}

fn main() {}
