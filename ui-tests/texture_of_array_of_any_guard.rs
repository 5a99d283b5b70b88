//! A texture is of the context of its array, so that both have one guard.
//!
//! **Why:** Handles meet only guards and handles of their own context. This is `own-context`.
//!
//! **Mend:** Make the texture under the guard of the array. See `ui-tests/mended/texture_of_array_of_any_guard.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

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
