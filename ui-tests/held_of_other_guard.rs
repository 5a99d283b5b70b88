//! A scope holds memory of another context by `hold_peer`, for the streams of that context.
//!
//! **Why:** Streams of this guard would use memory of another context. The driver does it, and orders it with nothing
//! that happens there (F34, F35). It is a part of `own-context`.
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
