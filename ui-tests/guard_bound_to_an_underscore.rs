//! `let _ =` drops the guard at once, which pops the context.
//!
//! **Why:** The program looks as if the context were pushed to the end of the block, while everything below runs with
//! another context or with none. It is a part of `no-use-after-pop`.
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
