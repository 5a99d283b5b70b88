//! The mend of `ui-tests/held_of_other_guard.rs`. Hold it by `hold_peer`.

use cuscope::{DeviceBuffer, PushedGuard, Result};

fn right<'a, 'b>(gpu: &PushedGuard<'a>, y: &mut DeviceBuffer<'b, f32>) -> Result {
    gpu.scope(|s| {
        let _held = s.hold_peer(y);
        Ok(())
    })
}

fn main() {}
