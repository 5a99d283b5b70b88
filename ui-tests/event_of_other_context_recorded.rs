//! An event is recorded on streams of its own context: the driver refuses others with 400 (F36).
//! Create it under the guard of the stream; *waiting* for an event of another context is fine.

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let event = outer.event()?;
    let inner = outer.push(b)?;
    let stream = inner.stream()?;
    inner.on(&stream).record(&event)
}

fn main() {}
