//! Only tuples are the arguments of a launch.
//!
//! **Why:** A launch passes one pointer for each argument. It points to a plain value, or to the address of a buffer
//! or of page-locked memory. This memory is borrowed in the way that the kernel uses it. This is
//! `arguments-lowered`.
//!
//! **Mend:** Pass the fields of a struct as a tuple, or the struct itself as one plain argument. See
//! `ui-tests/mended/kernel_args_is_sealed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::KernelArgs;

struct Mine;

impl KernelArgs<'_> for Mine {}

fn main() {}
