//! The mend of `ui-tests/two_guards.rs`. Push the second on the first: `first.push(b)`.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut first = stack.push(a)?;
    let second = first.push(b)?;
    second.pop()?;
    first.synchronize()
}

fn main() {}
