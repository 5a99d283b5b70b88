//! The mend of `ui-tests/ordered_read_and_written.rs`. Pass it once, as `&mut x`, to a kernel that works in place.

use cuscope::{Function, LaunchConfig, OrderedBuffer, OrderedStream, Result};

fn right<'ctx>(
    ordered: &OrderedStream,
    kernel: &Function<'ctx>,
    mut x: OrderedBuffer<f32>,
) -> Result {
    unsafe { ordered.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mut x,)) }
}

fn main() {}
