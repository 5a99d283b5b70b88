//! A launch borrows its events until it is made.
//!
//! **Why:** The driver gets their handles. It is a part of `launch-attributes`.
//!
//! **Mend:** Drop them later. See `ui-tests/mended/launch_event_dropped.rs`.
//!
//! **Mistake** (E0505):

use cuscope::{EventFlags, Function, LaunchConfig, PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, kernel: &Function<'ctx>) -> Result {
    let event = gpu.event_with(EventFlags::DISABLE_TIMING)?;
    let launch = LaunchConfig::new(1, 1).extended().launch_completion_event(&event);
    drop(event);
    unsafe { gpu.on(stream).launch_unchecked(kernel, launch, ()) }
}

fn main() {}
