//! Limits, flags and caches are set for the current context, which is the inner guard's here (F33).
//!
//! **Why:** The program would set the stack size for the wrong context. Its own kernels then run with the old one,
//! and may fault in deep calls. It is a part of `covered-unusable`.
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
