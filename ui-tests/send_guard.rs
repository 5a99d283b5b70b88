//! A guard stays on its thread.
//!
//! **Why:** The other one has a stack of its own, on which the context is not (F11). It is a part of
//! `stays-on-thread`.
//!
//! **Mend:** Move the context over, and push it there. See `ui-tests/mended/send_guard.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Context, ContextStack, Result};

fn spawn<T: Send>(_: T) {}

fn misuse(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    spawn(gpu);
    Ok(())
}

fn main() {}
