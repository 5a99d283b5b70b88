//! Pushing changes the stack, so it takes the stack exclusively: that is what covers a guard.
//! Write `let mut stack`.

use cuscope::{Context, ContextStack, Result};

fn misuse(context: &Context) -> Result {
    let stack = ContextStack::current_thread()?;
    let gpu = stack.push(context)?;
    gpu.pop()
}

fn main() {}
