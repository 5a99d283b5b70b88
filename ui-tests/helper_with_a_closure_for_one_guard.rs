//! A helper takes a closure for the guard of any call, not for one that its own signature names.
//!
//! **Why:** A closure for one lifetime could keep a stream of the guard that it gets in this call, and use it with the guard of
//! the next call, whose context may be another one (F34). It is a part of `own-context`.
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
