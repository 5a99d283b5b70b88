//! The mend of `ui-tests/brand_option_take.rs`. Create the stream under the guard that uses it.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = Some(stack.push(a)?);
    let inner = outer.as_mut().unwrap().push(b)?;
    let stream = inner.stream()?;
    inner.on(&stream).record(&inner.event()?)?;
    drop(stream);
    drop(inner);
    drop(outer.take());
    Ok(())
}

fn main() {}
