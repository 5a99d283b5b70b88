//! The event of a launch is one of the launch's context: the driver refuses another (F318). Create it under the guard that
//! launches.

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
