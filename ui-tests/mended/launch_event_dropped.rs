//! The mend of `ui-tests/launch_event_dropped.rs`. Drop them later.

use cuscope::{EventFlags, Function, LaunchConfig, PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, kernel: &Function<'ctx>) -> Result {
    let event = gpu.event_with(EventFlags::DISABLE_TIMING)?;
    let launch = LaunchConfig::new(1, 1).extended().launch_completion_event(&event);
    unsafe { gpu.on(stream).launch_unchecked(kernel, launch, ()) }?;
    drop(event);
    Ok(())
}

fn main() {}
