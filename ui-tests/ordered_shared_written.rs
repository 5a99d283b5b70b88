//! Shared memory is only read.
//!
//! **Why:** Several streams may do that at the same time. It is a part of `shared-behind`.
//!
//! **Mend:** Write it before it is shared. See `ui-tests/mended/ordered_shared_written.rs`.
//!
//! **Mistake** (E0277, E0308):

use cuscope::{Function, LaunchConfig, OrderedStream, Result, SharedBuffer};

fn misuse<'ctx>(
    ordered: &OrderedStream,
    kernel: &Function<'ctx>,
    mut shared: SharedBuffer<f32>,
) -> Result {
    ordered.fill(&mut shared, 1.0)?;
    unsafe { ordered.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mut shared,)) }
}

fn main() {}
