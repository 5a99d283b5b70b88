//! The mend of `ui-tests/held_escapes.rs`. Use it inside, and the buffer afterwards.

use cuscope::{DeviceBuffer, PushedGuard, Result};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, buffer: &mut DeviceBuffer<'ctx, f32>) -> Result {
    gpu.scope(|s| {
        let held = s.hold(buffer);
        drop(held);
        Ok(())
    })?;
    buffer.context().synchronize()
}

fn main() {}
