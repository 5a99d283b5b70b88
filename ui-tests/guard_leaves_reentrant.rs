//! A guard does not leave the `reentrant` call that it was pushed in: the call pops what is left, and
//! the guard would pop somebody else's entry (F88). Use it inside.

use cuscope::{Context, ContextStack, Result};

fn misuse(context: &Context) -> Result {
    let gpu = ContextStack::reentrant(|stack| stack.push(context))?;
    gpu.synchronize()
}

fn main() {}
