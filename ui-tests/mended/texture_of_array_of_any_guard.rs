//! The mend of `ui-tests/texture_of_array_of_any_guard.rs`. Make the texture under the guard of the array.

use cuscope::texture::{Array, Sampling};
use cuscope::{PushedGuard, Result};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    array: Array<'ctx, f32>,
    sampling: Sampling,
) -> Result {
    gpu.texture(array, sampling).map(drop)
}

fn main() {}
