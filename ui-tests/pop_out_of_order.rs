//! Guards are popped in the reverse order of the pushes.
//!
//! **Why:** The driver pops whatever is on top, here the inner context in place of the outer (F87, F88). It is a
//! part of `pops-in-order`.
//!
//! **Mend:** Pop the inner guard first. See `ui-tests/mended/pop_out_of_order.rs`.
//!
//! **Mistake** (E0505):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let inner = outer.push(b)?;
    outer.pop()?;
    inner.pop()
}

fn main() {}
