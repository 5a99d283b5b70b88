//! A context cannot be dropped while it is pushed: its entry would outlive it, and the driver follow dangling
//! pointers (F13).

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, context: Context) -> Result {
    let gpu = stack.push(&context)?;
    drop(context);
    gpu.synchronize()
}

fn main() {}
