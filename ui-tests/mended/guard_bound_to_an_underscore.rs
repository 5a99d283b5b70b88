//! The mend of `ui-tests/guard_bound_to_an_underscore.rs`. Name it: `let gpu`, or `let _gpu`.
#![deny(let_underscore_drop)]

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, context: &Context) -> Result {
    let _gpu = stack.push(context)?;
    Ok(())
}

fn main() {}
