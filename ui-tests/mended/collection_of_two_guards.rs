//! The mend of `ui-tests/collection_of_two_guards.rs`. Keep the handles detached.

use cuscope::{Detached, DeviceBuffer, PushedGuard, Result};

fn right(first: &PushedGuard<'_>, second: &PushedGuard<'_>) -> Result {
    let mut shares: Vec<Detached<DeviceBuffer<'static, f32>>> = Vec::new();
    shares.push(first.alloc(16)?.detach());
    shares.push(second.alloc(16)?.detach());
    Ok(())
}

fn main() {}
