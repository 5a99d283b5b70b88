//! A stack lends one guard at a time.
//!
//! **Why:** With two, the first would be used while the second's context is current (F33). It is a part of
//! `covered-unusable`.
//!
//! **Mend:** Push the second on the first: `first.push(b)`. See `ui-tests/mended/two_guards.rs`.
//!
//! **Mistake** (E0499):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let first = stack.push(a)?;
    let second = stack.push(b)?;
    first.synchronize()?;
    second.pop()
}

fn main() {}
