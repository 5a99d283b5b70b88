//! A guard that nothing holds is popped at once, and what follows runs without the context (F3).
//!
//! **Why:** A guard is not used after its pop, and stands for one entry only. This is `no-use-after-pop`.
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
