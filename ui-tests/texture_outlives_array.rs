//! A texture that borrows an array lives no longer than it.
//!
//! **Why:** A kernel would read memory that was freed. It is a part of `host-memory-borrowed`.
//!
//! **Mend:** Drop the array after the texture, or give it to the texture. See
//! `ui-tests/mended/texture_outlives_array.rs`.
//!
//! **Mistake** (E0505):

use cuscope::texture::{ArrayFlags, ArrayShape, Sampling};
use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>) -> Result<u64> {
    let array = gpu.alloc_array::<f32>(ArrayShape::D1 { width: 8 }, ArrayFlags::empty())?;
    let texture = gpu.texture(&array, Sampling::default())?;
    drop(array);
    Ok(texture.raw())
}

fn main() {}
