//! A held buffer belongs to its scope, and does not leave it: afterwards the buffer itself is there again.

use cuscope::{DeviceBuffer, PushedGuard, Result};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, buffer: &mut DeviceBuffer<'ctx, f32>) -> Result {
    let held = gpu.scope(|s| Ok(s.hold(buffer)))?;
    drop(held);
    Ok(())
}

fn main() {}
