//! A scope holds memory of another context by `hold_peer`, for the streams of that context.
//!
//! **Why:** Handles meet only guards and handles of their own context. This is `own-context`.
//!
//! **Mend:** Hold it by `hold_peer`. See `ui-tests/mended/held_of_other_guard.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{DeviceBuffer, PushedGuard, Result};

fn misuse<'a, 'b>(gpu: &PushedGuard<'a>, y: &mut DeviceBuffer<'b, f32>) -> Result {
    gpu.scope(|s| {
        let _held = s.hold(y);
        Ok(())
    })
}

fn main() {}
