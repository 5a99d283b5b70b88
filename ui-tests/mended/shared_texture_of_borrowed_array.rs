//! The mend of `ui-tests/shared_texture_of_borrowed_array.rs`. Give the array to the texture.

use cuscope::texture::{Array, Sampling, SharedTexture};
use cuscope::{PushedGuard, Result};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, array: Array<'ctx, f32>) -> Result<SharedTexture> {
    Ok(gpu.texture(array, Sampling::default())?.share())
}

fn main() {}
