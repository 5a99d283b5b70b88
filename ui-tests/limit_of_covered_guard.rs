//! Limits, flags and caches are set for the current context, which is the inner guard's here (F33). Set them
//! before the push, or pop first.

use cuscope::{Context, ContextStack, Result, settings::Limit};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let inner = outer.push(b)?;
    outer.set_limit(Limit::StackSize, 4096)?;
    inner.pop()
}

fn main() {}
