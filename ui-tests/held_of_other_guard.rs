//! A scope holds memory of another context by `hold_peer`, for the streams of that context.

use cuscope::{DeviceBuffer, PushedGuard, Result};

fn misuse<'a, 'b>(gpu: &PushedGuard<'a>, y: &mut DeviceBuffer<'b, f32>) -> Result {
    gpu.scope(|s| {
        let _held = s.hold(y);
        Ok(())
    })
}

fn main() {}
