//! A launch borrows its events until it is made: the driver gets their handles. Drop them later.

use cuscope::{EventFlags, Function, LaunchConfig, PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, kernel: &Function<'ctx>) -> Result {
    let event = gpu.event_with(EventFlags::DISABLE_TIMING)?;
    let launch = LaunchConfig::new(1, 1).extended().launch_completion_event(&event);
    drop(event);
    unsafe { gpu.on(stream).launch_unchecked(kernel, launch, ()) }
}

fn main() {}
