//! The mend of `ui-tests/tuple_for_guarded_function.rs`. Push the arguments to a list.

use cuscope::kernel::GuardedFunction;
use cuscope::{DeviceBuffer, LaunchConfig, Result, SyncStream};

fn launch<'ctx>(
    stream: &SyncStream<'_, 'ctx>,
    kernel: &GuardedFunction,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let mut arguments = kernel.arguments();
    arguments.push(16_u32)?.push(x)?;
    stream.launch(kernel, LaunchConfig::new(1, 16), arguments)
}

fn main() {}
