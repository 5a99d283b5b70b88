//! The mend of `ui-tests/helper_with_a_closure_for_one_guard.rs`. Give the closure the lifetime: `impl for<'ctx>
//! FnOnce(&mut PushedGuard<'ctx>) -> Result`, or `PushedGuard<'_>`.

use cuscope::{Context, PushedGuard, Result};

fn right(context: &Context, f: impl for<'ctx> FnOnce(&mut PushedGuard<'ctx>) -> Result) -> Result {
    context.with(f)
}

fn main() {}
