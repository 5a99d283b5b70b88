//! Shared memory is only read: several streams may do that at the same time.

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
