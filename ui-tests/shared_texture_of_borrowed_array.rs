//! A texture that borrows its array is not shared: work of an ordered stream outlives the borrow, and would read an
//! array that was written or freed.

use cuscope::texture::{Array, Sampling, SharedTexture};
use cuscope::{PushedGuard, Result};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, array: &Array<'ctx, f32>) -> Result<SharedTexture> {
    Ok(gpu.texture(array, Sampling::default())?.share())
}

fn main() {}
