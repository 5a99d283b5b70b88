//! The mend of `ui-tests/handle_outlives_stack.rs`. Use it before, or `detach` it.

use cuscope::{Context, ContextStack, Result};

fn right(context: &Context) -> Result {
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    stream.synchronize()?;
    gpu.pop()?;
    drop(stack);
    Ok(())
}

fn main() {}
