//! A handle is not used after the stack that its guard came from is given back.
//!
//! **Why:** No guard can vouch for its context any more (F3). It is a part of `own-context`.
//!
//! **Mend:** Use it before, or `detach` it. See `ui-tests/mended/handle_outlives_stack.rs`.
//!
//! **Mistake** (E0505):

use cuscope::{Context, ContextStack, Result};

fn misuse(context: &Context) -> Result {
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    gpu.pop()?;
    drop(stack);
    stream.synchronize()
}

fn main() {}
