//! A list of arguments lends its memory to one launch.
//!
//! **Why:** A second launch from the list would use memory that the program already has back, at the same time as
//! whatever the program does with it. It is a part of `arguments-lowered`.
//!
//! **Mend:** Make a list for each. See `ui-tests/mended/argument_list_used_twice.rs`.
//!
//! **Mistake** (E0382):

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
