//! A stream does not leave the closure of `OwnedGuard::with`, since the guard may end at any time.
//!
//! **Why:** The owned guard may be dropped in the next statement, and its context with it. The handle may then be
//! refused, or be that of another stream (F42, F105). It is a part of `owned-in-order`.
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
