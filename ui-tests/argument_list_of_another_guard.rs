//! Memory of one guard is no argument of a kernel of another one, which may be of another context (F34).
//!
//! **Why:** A launch passes one pointer for each argument. It points to a plain value, or to the address of a buffer
//! or of page-locked memory. This memory is borrowed in the way that the kernel uses it. This is
//! `arguments-lowered`.
//!
//! **Mend:** Allocate under the guard of the kernel. See `ui-tests/mended/argument_list_of_another_guard.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{DeviceBuffer, Function, Result};

fn misuse<'a, 'b>(kernel: &Function<'a>, x: &DeviceBuffer<'b, f32>) -> Result {
    let mut arguments = kernel.arguments::<cuscope::memory::InCall>()?;
    arguments.push(x)?;
    Ok(())
}

fn main() {}
