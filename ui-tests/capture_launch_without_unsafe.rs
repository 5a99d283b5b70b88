//! A launch that is captured runs at every replay: it is `unsafe` as a launch is, and the replay is not.

use cuscope::{Function, LaunchConfig, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &mut Stream<'ctx>,
    kernel: &Function<'ctx>,
) -> Result {
    gpu.capture(stream, |c| c.stream().launch_unchecked(kernel, LaunchConfig::new(1, 1), ())).map(drop)
}

fn main() {}
