//! The mend of `ui-tests/stream_leaves_an_owned_guard.rs`. Detach it, or use it inside.

use cuscope::{Result, stack::OwnedGuard};

fn right(guard: &mut OwnedGuard) -> Result {
    let stream = guard.with(|gpu| Ok(gpu.stream()?.detach()))?;
    guard.with(|gpu| gpu.bind(&stream)?.synchronize())
}

fn main() {}
