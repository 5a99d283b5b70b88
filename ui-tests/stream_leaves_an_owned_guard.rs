//! A stream does not leave the closure of an owned guard, which may pop its context at any time. Detach it.

use cuscope::{OwnedGuard, Result};

fn misuse(guard: &mut OwnedGuard) -> Result {
    let stream = guard.with(|gpu| gpu.stream())?;
    stream.synchronize()
}

fn main() {}
