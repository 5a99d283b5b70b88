//! A stream does not leave the closure of `Context::with`, which pops its context.
//!
//! **Why:** The context is popped when the closure returns. `synchronize` would be called with whatever is current
//! then, and perhaps after the context was destroyed. It is a part of `reentrant-restores`.
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
