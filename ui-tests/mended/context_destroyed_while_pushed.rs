//! The mend of `ui-tests/context_destroyed_while_pushed.rs`. Pop it, and then destroy it.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, context: Context) -> Result {
    let gpu = stack.push(&context)?;
    gpu.synchronize()?;
    gpu.pop()?;
    let ended = context.try_destroy();
    ended.map_or(Ok(()), |ended| ended)
}

fn main() {}
