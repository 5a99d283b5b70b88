//! A texture is of the context of its array, so that both have one guard.

use cuscope::texture::{Array, Sampling};
use cuscope::{PushedGuard, Result};

fn misuse<'ctx, 'other>(
    gpu: &PushedGuard<'ctx>,
    array: Array<'other, f32>,
    sampling: Sampling,
) -> Result {
    gpu.texture(array, sampling).map(drop)
}

fn main() {}
