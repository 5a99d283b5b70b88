//! The mend of `ui-tests/mix_sequential.rs`. To keep it over a pop, `detach` it, and `attach` it to the new guard.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let first = stack.push(a)?;
    let stream = first.stream()?.detach();
    first.pop()?;
    let second = stack.push(b)?;
    let stream = second.attach(stream)?;
    let event = second.event()?;
    second.on(&stream).record(&event)
}

fn main() {}
