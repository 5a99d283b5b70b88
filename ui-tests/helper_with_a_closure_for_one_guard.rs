//! A helper takes a closure for the guard of any call, not for one that its own signature names.
//!
//! **Why:** Handles meet only guards and handles of their own context. A closure for one lifetime could keep handles of the
//! guard that it gets, for another guard. This is `own-context`.
//!
//! **Mend:** Give the closure the lifetime: `impl for<'ctx> FnOnce(&mut PushedGuard<'ctx>) -> Result`, or `PushedGuard<'_>`.
//! See `ui-tests/mended/helper_with_a_closure_for_one_guard.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Context, PushedGuard, Result};

fn misuse<'ctx>(context: &Context, f: impl FnOnce(&mut PushedGuard<'ctx>) -> Result) -> Result {
    context.with(f)
}

fn main() {}
