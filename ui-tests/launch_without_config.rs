//! How a kernel is launched is a `LaunchConfig`, or one with attributes, and no pair of numbers: which of them are blocks?

use cuscope::{Function, PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, kernel: &Function<'ctx>) -> Result {
    unsafe { gpu.on(stream).launch_unchecked(kernel, (16, 256), ()) }
}

fn main() {}
