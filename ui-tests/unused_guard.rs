//! A guard that nothing holds is popped at once, and what follows runs without the context (F3).
//! Bind it: `let gpu = stack.push(context)?;`.
#![deny(unused_must_use)]

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, context: &Context) -> Result {
    stack.push(context)?;
    Ok(())
}

fn main() {}
