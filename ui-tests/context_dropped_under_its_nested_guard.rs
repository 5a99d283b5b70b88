//! A context that is pushed on a guard cannot be dropped while it is pushed, as one on a stack cannot.
//!
//! **Why:** Its entry would outlive it (F13). It is a part of `context-alive`.
//!
//! **Mend:** Drop the context after its guard. See `ui-tests/mended/context_dropped_under_its_nested_guard.rs`.
//!
//! **Mistake** (E0505):

use cuscope::{Context, PushedGuard, Result};

fn misuse(outer: &mut PushedGuard<'_>, context: Context) -> Result {
    let inner = outer.push(&context)?;
    drop(context);
    inner.synchronize()
}

fn main() {}
