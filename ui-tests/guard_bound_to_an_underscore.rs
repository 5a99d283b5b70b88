//! `let _ =` drops the guard at once, which pops the context.
//!
//! **Why:** A guard is not used after its pop, and stands for one entry only. This is `no-use-after-pop`.
//!
//! **Mend:** Name it: `let gpu`, or `let _gpu`. See `ui-tests/mended/guard_bound_to_an_underscore.rs`.
//!
//! **Mistake** (a lint):
#![deny(let_underscore_drop)]

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, context: &Context) -> Result {
    let _ = stack.push(context)?;
    Ok(())
}

fn main() {}
