//! A list of arguments lends its memory to one launch: make a list for each.

use cuscope::{DeviceBuffer, Function, LaunchConfig, Result, SyncStream};

fn misuse<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let mut arguments = kernel.arguments()?;
    arguments.push(x)?;
    let config = LaunchConfig::new(1, 16);
    unsafe { stream.launch_unchecked(kernel, config, arguments) }?;
    unsafe { stream.launch_unchecked(kernel, config, arguments) }
}

fn main() {}
