//! Only tuples are the arguments of a launch.
//!
//! **Why:** A launch is passed pointers to values, one for each parameter, and their sizes are nowhere. An
//! implementation that makes too few lets the driver read behind its list. It is a part of `arguments-lowered`.
//!
//! **Mend:** Pass the fields of a struct as a tuple, or the struct itself as one plain argument. See
//! `ui-tests/mended/kernel_args_is_sealed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::KernelArgs;

struct Mine;

impl KernelArgs<'_> for Mine {}

fn main() {}
