//! Two guards cannot trade places.
//!
//! **Why:** Each would take the other's entry for its own, and pops would go out of order (F88). It is a part of
//! `pops-in-order`.
//!
//! **Mend:** Swap what you keep beside the guards. See `ui-tests/mended/swap_guards.rs`.
//!
//! **Mistake** (E0499, E0597):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let mut inner = outer.push(b)?;
    std::mem::swap(&mut outer, &mut inner);
    Ok(())
}

fn main() {}
