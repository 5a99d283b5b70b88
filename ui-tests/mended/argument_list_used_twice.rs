//! The mend of `ui-tests/argument_list_used_twice.rs`. Make a list for each.

use cuscope::{DeviceBuffer, Function, LaunchConfig, Result, SyncStream};

fn right<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let mut arguments = kernel.arguments()?;
    arguments.push(&mut *x)?;
    let config = LaunchConfig::new(1, 16);
    unsafe { stream.launch_unchecked(kernel, config, arguments) }?;
    let mut arguments = kernel.arguments()?;
    arguments.push(x)?;
    unsafe { stream.launch_unchecked(kernel, config, arguments) }
}

fn main() {}
