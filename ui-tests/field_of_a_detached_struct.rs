//! The fields of a struct are there under a guard: `gpu.bind(&self.layer)?.weights`.

use cuscope::{Detached, DeviceBuffer};

cuscope::handles! {
    struct Layer<'ctx> {
        weights: DeviceBuffer<'ctx, f32>,
    }
}

fn misuse(layer: &Detached<Layer<'static>>) -> usize {
    layer.weights.len()
}

fn main() {}
