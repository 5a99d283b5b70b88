//! A context is not destroyed while it is pushed.
//!
//! **Why:** The destroyed context would stay on the thread's stack. Calls fail there with 709, and some do not return
//! (F13). It is a part of `context-alive`.
//!
//! **Mend:** Pop it, and then destroy it. See `ui-tests/mended/context_destroyed_while_pushed.rs`.
//!
//! **Mistake** (E0505):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, context: Context) -> Result {
    let gpu = stack.push(&context)?;
    let ended = context.try_destroy();
    gpu.synchronize()?;
    ended.map_or(Ok(()), |ended| ended)
}

fn main() {}
