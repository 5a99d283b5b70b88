//! The mend of `ui-tests/ordered_shared_written.rs`. Write it before it is shared.

use cuscope::{Function, LaunchConfig, OrderedBuffer, OrderedStream, Result, SharedBuffer};

fn right<'ctx>(
    ordered: &OrderedStream,
    kernel: &Function<'ctx>,
    mut x: OrderedBuffer<f32>,
) -> Result {
    ordered.fill(&mut x, 1.0)?;
    let shared: SharedBuffer<f32> = x.share();
    unsafe { ordered.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&shared,)) }
}

fn main() {}
