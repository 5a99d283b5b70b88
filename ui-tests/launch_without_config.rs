//! How a kernel is launched is a `LaunchConfig`, or one with attributes, and no pair of numbers.
//!
//! **Why:** Nobody sees which number of a pair is that of the blocks. It is a part of `launch-attributes`.
//!
//! **Mend:** Write `LaunchConfig::new(blocks, threads)`. See `ui-tests/mended/launch_without_config.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Function, PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, kernel: &Function<'ctx>) -> Result {
    unsafe { gpu.on(stream).launch_unchecked(kernel, (16, 256), ()) }
}

fn main() {}
