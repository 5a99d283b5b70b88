//! A guard that nothing holds is popped at once, and what follows runs without the context (F3).
//!
//! **Why:** The guard is dropped at the end of the statement. What the program does next would run in the context
//! below, or fail because there is none. It is a part of `no-use-after-pop`.
//!
//! **Mend:** Bind it: `let gpu = stack.push(context)?;`. See `ui-tests/mended/unused_guard.rs`.
//!
//! **Mistake** (a lint):
#![deny(unused_must_use)]

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, context: &Context) -> Result {
    stack.push(context)?;
    Ok(())
}

fn main() {}
