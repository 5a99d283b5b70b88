//! Pushing changes the stack, so it takes the stack exclusively.
//!
//! **Why:** That is what covers a guard. It is a part of `covered-unusable`.
//!
//! **Mend:** Write `let mut stack`. See `ui-tests/mended/stack_not_mut.rs`.
//!
//! **Mistake** (E0596):

use cuscope::{Context, ContextStack, Result};

fn misuse(context: &Context) -> Result {
    let stack = ContextStack::current_thread()?;
    let gpu = stack.push(context)?;
    gpu.pop()
}

fn main() {}
