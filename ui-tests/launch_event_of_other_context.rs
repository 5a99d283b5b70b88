//! The event of a launch is one of the launch's context.
//!
//! **Why:** The driver refuses another (F318). It is a part of `launch-attributes`.
//!
//! **Mend:** Create it under the guard that launches. See `ui-tests/mended/launch_event_of_other_context.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{Context, ContextStack, EventFlags, LaunchConfig, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context, ptx: &str) -> Result {
    let mut outer = stack.push(a)?;
    let event = outer.event_with(EventFlags::DISABLE_TIMING)?;
    let inner = outer.push(b)?;
    let kernel = inner.load_ptx(ptx)?.function("fill")?;
    let stream = inner.stream()?;
    let launch = LaunchConfig::new(1, 1).extended().programmatic_event(&event, false);
    unsafe { inner.on(&stream).launch_unchecked(&kernel, launch, ()) }
}

fn main() {}
