//! A stack lends one guard at a time: with two, the first would be used while the second's context
//! is current (F33). Push the second on the first: `first.push(b)`.

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let first = stack.push(a)?;
    let second = stack.push(b)?;
    first.synchronize()?;
    second.pop()
}

fn main() {}
