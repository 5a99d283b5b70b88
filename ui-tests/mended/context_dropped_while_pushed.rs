//! The mend of `ui-tests/context_dropped_while_pushed.rs`. Drop the context after its guard.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, context: Context) -> Result {
    let gpu = stack.push(&context)?;
    gpu.synchronize()?;
    gpu.pop()?;
    drop(context);
    Ok(())
}

fn main() {}
