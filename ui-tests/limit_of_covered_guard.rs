//! Limits, flags and caches are set for the current context, which is the inner guard's here (F33).
//!
//! **Why:** A guard cannot be used while another guard lies on it. This is `covered-unusable`.
//!
//! **Mend:** Set them before the push, or pop first. See `ui-tests/mended/limit_of_covered_guard.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{Context, ContextStack, Result, settings::Limit};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let inner = outer.push(b)?;
    outer.set_limit(Limit::StackSize, 4096)?;
    inner.pop()
}

fn main() {}
