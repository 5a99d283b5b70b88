//! A launch that is captured runs at every replay.
//!
//! **Why:** It is `unsafe` as a launch is, and the replay is not. It is a part of `graph-owns`.
//!
//! **Mend:** Write `unsafe` at the launch, with what the kernel keeps to at each replay. See
//! `ui-tests/mended/capture_launch_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::{Function, LaunchConfig, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &mut Stream<'ctx>,
    kernel: &Function<'ctx>,
) -> Result {
    gpu.capture(stream, |c| c.stream().launch_unchecked(kernel, LaunchConfig::new(1, 1), ())).map(drop)
}

fn main() {}
