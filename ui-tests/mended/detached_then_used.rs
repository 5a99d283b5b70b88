//! The mend of `ui-tests/detached_then_used.rs`. Use it before, or `bind` the detached one.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    stream.synchronize()?;
    let detached = stream.detach();
    drop(detached);
    Ok(())
}

fn main() {}
