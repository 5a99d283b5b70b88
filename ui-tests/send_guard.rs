//! A guard stays on its thread: the other one has a stack of its own, on which the context is not
//! (F11). Move the context over, and push it there.

use cuscope::{Context, ContextStack, Result};

fn spawn<T: Send>(_: T) {}

fn misuse(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    spawn(gpu);
    Ok(())
}

fn main() {}
