//! Nor is it destroyed while it is pushed.

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, context: Context) -> Result {
    let gpu = stack.push(&context)?;
    let ended = context.try_destroy();
    gpu.synchronize()?;
    ended.map_or(Ok(()), |ended| ended)
}

fn main() {}
