//! One launch does not read and write one buffer.

use cuscope::{Function, LaunchConfig, OrderedBuffer, OrderedStream, Result};

fn misuse<'ctx>(
    ordered: &OrderedStream,
    kernel: &Function<'ctx>,
    mut x: OrderedBuffer<f32>,
) -> Result {
    unsafe { ordered.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&x, &mut x)) }
}

fn main() {}
