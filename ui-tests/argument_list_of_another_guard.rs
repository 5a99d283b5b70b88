//! Memory of one guard is no argument of a kernel of another one, which may be of another context (F34).
//!
//! **Why:** The driver compares no address with the context of the launch. The kernel would write memory of another
//! context, whose own streams know nothing of it (F35). It is a part of `arguments-lowered`.
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
