//! A texture that borrows its array is not shared.
//!
//! **Why:** Work of an ordered stream outlives the borrow, and would read an array that was written or freed. It is
//! a part of `shared-behind`.
//!
//! **Mend:** Give the array to the texture. See `ui-tests/mended/shared_texture_of_borrowed_array.rs`.
//!
//! **Mistake** (E0277):

use cuscope::texture::{Array, Sampling, SharedTexture};
use cuscope::{PushedGuard, Result};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, array: &Array<'ctx, f32>) -> Result<SharedTexture> {
    Ok(gpu.texture(array, Sampling::default())?.share())
}

fn main() {}
