//! A launch is `unsafe`: no compiler has seen that the kernel stays inside its buffers, and if it does
//! not, the process loses the GPU (F60). Check the kernel against the contract of `launch_unchecked`.

use cuscope::{DeviceBuffer, Function, LaunchConfig, SyncStream, Result};

fn misuse<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    mut x: DeviceBuffer<'ctx, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 16);
    stream.launch_unchecked(kernel, config, (16_u32, &mut x))
}

fn main() {}
