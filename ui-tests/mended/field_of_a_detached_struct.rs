//! The mend of `ui-tests/field_of_a_detached_struct.rs`. Bind the struct under a guard first.

use cuscope::{Detached, DeviceBuffer, PushedGuard, Result};

cuscope::handles! {
    struct Layer<'ctx> {
        weights: DeviceBuffer<'ctx, f32>,
    }
}

fn right(gpu: &PushedGuard<'_>, layer: &Detached<Layer<'static>>) -> Result<usize> {
    Ok(gpu.bind(layer)?.weights.len())
}

fn main() {}
