//! A stream does not leave the closure of `Context::with`, which pops its context.
//!
//! **Why:** A `reentrant` call leaves the stack as it found it, also when its closure leaks or panics, and no guard
//! leaves the closure. This is `reentrant-restores`.
//!
//! **Mend:** Detach it, or use it inside. See `ui-tests/mended/guard_leaves_with.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{Context, Result};

fn misuse(context: &Context) -> Result {
    let stream = context.with(|gpu| gpu.stream())?;
    stream.synchronize()
}

fn main() {}
