//! A guard does not leave the `reentrant` call that it was pushed in.
//!
//! **Why:** The call pops what is left, and the guard would pop somebody else's entry (F88). It is a part of
//! `reentrant-restores`.
//!
//! **Mend:** Use it inside. See `ui-tests/mended/guard_leaves_reentrant.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{Context, ContextStack, Result};

fn misuse(context: &Context) -> Result {
    let gpu = ContextStack::reentrant(|stack| stack.push(context))?;
    gpu.synchronize()
}

fn main() {}
