//! The mend of `ui-tests/swap_guards.rs`. Swap what you keep beside the guards.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = (stack.push(a)?, "a");
    let mut inner = (outer.0.push(b)?, "b");
    std::mem::swap(&mut outer.1, &mut inner.1);
    Ok(())
}

fn main() {}
