//! The mend of `ui-tests/event_of_other_context_recorded.rs`. Create it under the guard of the stream; *waiting* for
//! an event of another context is fine.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let inner = outer.push(b)?;
    let event = inner.event()?;
    let stream = inner.stream()?;
    inner.on(&stream).record(&event)
}

fn main() {}
