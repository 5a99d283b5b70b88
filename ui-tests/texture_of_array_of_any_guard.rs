//! A texture is of the context of its array, so that both have one guard.
//!
//! **Why:** The texture refers to the array. If the array's context ends first, the texture reads memory that is
//! gone. It is a part of `own-context`.
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
