//! `let _ =` drops the guard at once, which pops the context. Name it: `let gpu`, or `let _gpu`.
#![deny(let_underscore_drop)]

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, context: &Context) -> Result {
    let _ = stack.push(context)?;
    Ok(())
}

fn main() {}
