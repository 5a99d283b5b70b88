//! Only this crate says how a value becomes a kernel's parameter: the driver reads as many bytes as
//! the kernel declares (F93). Derive bytemuck's `NoUninit` for a plain struct and pass it by value.

use cuscope::KernelArg;

struct Mine;

impl KernelArg<'_> for Mine {}

fn main() {}
