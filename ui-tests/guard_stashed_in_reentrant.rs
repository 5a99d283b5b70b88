//! A guard is not put aside for after the `reentrant` call that it was pushed in.
//!
//! **Why:** The call pops what is left, and the guard would pop somebody else's entry (F88). It is a part of
//! `reentrant-restores`.
//!
//! **Mend:** Use it inside. See `ui-tests/mended/guard_stashed_in_reentrant.rs`.
//!
//! **Mistake** (E0521):

use cuscope::{Context, ContextStack, Result};

fn misuse(context: &Context) -> Result {
    let mut stash = None;
    ContextStack::reentrant(|stack| {
        stash = Some(stack.push(context)?);
        Ok(())
    })
}

fn main() {}
