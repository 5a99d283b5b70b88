//! The mend of `ui-tests/unused_guard.rs`. Bind it: `let gpu = stack.push(context)?;`.
#![deny(unused_must_use)]

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, context: &Context) -> Result {
    let _gpu = stack.push(context)?;
    Ok(())
}

fn main() {}
