//! The mend of `ui-tests/argument_list_of_another_guard.rs`. Allocate under the guard of the kernel.

use cuscope::{DeviceBuffer, Function, Result};

fn right<'a>(kernel: &Function<'a>, x: &DeviceBuffer<'a, f32>) -> Result {
    let mut arguments = kernel.arguments::<cuscope::memory::InCall>()?;
    arguments.push(x)?;
    Ok(())
}

fn main() {}
