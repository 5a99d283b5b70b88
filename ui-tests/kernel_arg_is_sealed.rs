//! Only this crate says how a value becomes a kernel's parameter.
//!
//! **Why:** The driver reads as many bytes as the kernel declares (F93). It is a part of `arguments-lowered`.
//!
//! **Mend:** Derive bytemuck's `NoUninit` for a plain struct and pass it by value. See
//! `ui-tests/mended/kernel_arg_is_sealed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::KernelArg;

struct Mine;

impl KernelArg<'_> for Mine {}

fn main() {}
