//! One launch does not read and write one buffer.
//!
//! **Why:** The kernel's threads run in any order, and each would see some elements before and some after they were
//! written. It is a part of `ordered-apart`.
//!
//! **Mend:** Pass it once, as `&mut x`, to a kernel that works in place. See
//! `ui-tests/mended/ordered_read_and_written.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{Function, LaunchConfig, OrderedBuffer, OrderedStream, Result};

fn misuse<'ctx>(
    ordered: &OrderedStream,
    kernel: &Function<'ctx>,
    mut x: OrderedBuffer<f32>,
) -> Result {
    unsafe { ordered.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&x, &mut x)) }
}

fn main() {}
