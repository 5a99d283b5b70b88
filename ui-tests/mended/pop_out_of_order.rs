//! The mend of `ui-tests/pop_out_of_order.rs`. Pop the inner guard first.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let inner = outer.push(b)?;
    inner.pop()?;
    outer.pop()
}

fn main() {}
