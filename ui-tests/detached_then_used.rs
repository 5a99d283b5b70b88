//! Detaching gives the handle away.
//!
//! **Why:** What is left would be a second owner, which frees it twice (F62). It is a part of `detached-unusable`.
//!
//! **Mend:** Use it before, or `bind` the detached one. See `ui-tests/mended/detached_then_used.rs`.
//!
//! **Mistake** (E0382):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    let detached = stream.detach();
    stream.synchronize()?;
    drop(detached);
    Ok(())
}

fn main() {}
