//! A guard is not lent to another thread.
//!
//! **Why:** That has a stack of its own, on which the context is not (F11). It is a part of `stays-on-thread`.
//!
//! **Mend:** Move the context over, and push it there; handles may be lent. See `ui-tests/mended/share_guard.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Context, ContextStack, Result};

fn spawn<T: Send>(_: T) {}

fn misuse(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    spawn(&gpu);
    Ok(())
}

fn main() {}
