//! A held buffer belongs to its scope, and does not leave it.
//!
//! **Why:** Afterwards the buffer itself is there again. It is a part of `scope-own`.
//!
//! **Mend:** Use it inside, and the buffer afterwards. See `ui-tests/mended/held_escapes.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{DeviceBuffer, PushedGuard, Result};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, buffer: &mut DeviceBuffer<'ctx, f32>) -> Result {
    let held = gpu.scope(|s| Ok(s.hold(buffer)))?;
    drop(held);
    Ok(())
}

fn main() {}
