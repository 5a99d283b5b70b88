//! A guard that is covered by a nested one cannot be used.
//!
//! **Why:** The driver would act on the inner context (F33). It is a part of `covered-unusable`.
//!
//! **Mend:** Pop the inner guard first. See `ui-tests/mended/covered_parent.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let inner = outer.push(b)?;
    outer.synchronize()?;
    inner.pop()
}

fn main() {}
