//! The mend of `ui-tests/limit_of_covered_guard.rs`. Set them before the push, or pop first.

use cuscope::{Context, ContextStack, Result, settings::Limit};

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    outer.set_limit(Limit::StackSize, 4096)?;
    let inner = outer.push(b)?;
    inner.pop()
}

fn main() {}
