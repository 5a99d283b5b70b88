//! A context cannot be dropped while it is pushed.
//!
//! **Why:** Its entry would outlive it, and the driver follow dangling pointers (F13). It is a part of
//! `context-alive`.
//!
//! **Mend:** Drop the context after its guard. See `ui-tests/mended/context_dropped_while_pushed.rs`.
//!
//! **Mistake** (E0505):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, context: Context) -> Result {
    let gpu = stack.push(&context)?;
    drop(context);
    gpu.synchronize()
}

fn main() {}
