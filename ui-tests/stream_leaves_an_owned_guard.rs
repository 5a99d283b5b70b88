//! A stream does not leave the closure of `OwnedGuard::with`, since the guard may end at any time.
//!
//! **Why:** A guard that owns its context pushes and pops in order with all others, or not at all, and never outside of
//! the `reentrant` call that it was made in. It is a part of `owned-in-order`.
//!
//! **Mend:** Detach it, or use it inside. See `ui-tests/mended/stream_leaves_an_owned_guard.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{Result, stack::OwnedGuard};

fn misuse(guard: &mut OwnedGuard) -> Result {
    let stream = guard.with(|gpu| gpu.stream())?;
    stream.synchronize()
}

fn main() {}
