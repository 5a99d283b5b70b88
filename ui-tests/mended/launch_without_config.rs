//! The mend of `ui-tests/launch_without_config.rs`. Write `LaunchConfig::new(blocks, threads)`.

use cuscope::{Function, LaunchConfig, PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, kernel: &Function<'ctx>) -> Result {
    unsafe { gpu.on(stream).launch_unchecked(kernel, LaunchConfig::new(16, 256), ()) }
}

fn main() {}
