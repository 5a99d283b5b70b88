//! An ordered stream lends no host memory to a kernel: it may be dropped while the device uses it.

use cuscope::{Function, LaunchConfig, OrderedStream, PinnedBuffer, Result};

fn misuse<'ctx>(
    ordered: &OrderedStream,
    kernel: &Function<'ctx>,
    x: &mut PinnedBuffer<f32>,
) -> Result {
    unsafe { ordered.launch_unchecked(kernel, LaunchConfig::new(1, 1), (x,)) }
}

fn main() {}
