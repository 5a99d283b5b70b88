//! Two guards cannot trade places: each would take the other's entry for its own, and pops would go
//! out of order (F88). Swap what you keep beside the guards.

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let mut inner = outer.push(b)?;
    std::mem::swap(&mut outer, &mut inner);
    Ok(())
}

fn main() {}
