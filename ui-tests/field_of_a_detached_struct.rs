//! The fields of a struct are there under a guard.
//!
//! **Why:** A detached struct may be of any context: a guard compares. It is a part of `detached-unusable`.
//!
//! **Mend:** Bind the struct under a guard first. See `ui-tests/mended/field_of_a_detached_struct.rs`.
//!
//! **Mistake** (E0609):

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
