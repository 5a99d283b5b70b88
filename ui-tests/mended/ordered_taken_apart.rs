//! The mend of `ui-tests/ordered_taken_apart.rs`. Call `into_idle`, which waits.

use cuscope::{DeviceBuffer, OrderedBuffer, PushedGuard, Result};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, x: OrderedBuffer<f32>) -> Result<DeviceBuffer<'ctx, f32>> {
    Ok(x.into_idle(gpu)?)
}

fn main() {}
