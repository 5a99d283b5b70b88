//! The mend of `ui-tests/owned_argument.rs`. Pass `&x` for what the kernel reads, `&mut x` for what it writes.

use cuscope::{DeviceBuffer, Function, LaunchConfig, SyncStream, Result};

fn right<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    mut x: DeviceBuffer<'ctx, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 16);
    unsafe { stream.launch_unchecked(kernel, config, (16_u32, &mut x)) }
}

fn main() {}
