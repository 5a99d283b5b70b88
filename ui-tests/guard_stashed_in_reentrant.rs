//! A guard is not put aside for after the `reentrant` call that it was pushed in: the call pops what
//! is left, and the guard would pop somebody else's entry (F88). Use it inside.

use cuscope::{Context, ContextStack, Result};

fn misuse(context: &Context) -> Result {
    let mut stash = None;
    ContextStack::reentrant(|stack| {
        stash = Some(stack.push(context)?);
        Ok(())
    })
}

fn main() {}
