//! The mend of `ui-tests/capture_launch_without_unsafe.rs`. Write `unsafe` at the launch, with what the kernel keeps
//! to at each replay.

use cuscope::{Function, LaunchConfig, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &mut Stream<'ctx>,
    kernel: &Function<'ctx>,
) -> Result {
    gpu.capture(stream, |c| unsafe { c.stream().launch_unchecked(kernel, LaunchConfig::new(1, 1), ()) }).map(drop)
}

fn main() {}
