//! The mend of `ui-tests/launch_without_unsafe.rs`. Check the kernel against the contract of `launch_unchecked`, and
//! say so in an `unsafe` block.

use cuscope::{DeviceBuffer, Function, LaunchConfig, SyncStream, Result};

fn right<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    mut x: DeviceBuffer<'ctx, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 16);
    // SAFETY: the kernel writes 16 elements of `x`.
    unsafe { stream.launch_unchecked(kernel, config, (16_u32, &mut x)) }
}

fn main() {}
