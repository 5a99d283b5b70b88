//! The mend of `ui-tests/launch_event_of_other_context.rs`. Create it under the guard that launches.

use cuscope::{Context, ContextStack, EventFlags, LaunchConfig, Result};

fn right(stack: &mut ContextStack, a: &Context, b: &Context, ptx: &str) -> Result {
    let mut outer = stack.push(a)?;
    let inner = outer.push(b)?;
    let event = inner.event_with(EventFlags::DISABLE_TIMING)?;
    let kernel = inner.load_ptx(ptx)?.function("fill")?;
    let stream = inner.stream()?;
    let launch = LaunchConfig::new(1, 1).extended().programmatic_event(&event, false);
    unsafe { inner.on(&stream).launch_unchecked(&kernel, launch, ()) }
}

fn main() {}
