//! The mend of `ui-tests/argument_list_aliases.rs`. Push the memory once, as `&mut x`, to a kernel that works in
//! place.

use cuscope::{DeviceBuffer, Function, LaunchConfig, Result, SyncStream};

fn right<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let mut arguments = kernel.arguments()?;
    arguments.push(&mut *x)?;
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 16), arguments) }
}

fn main() {}
