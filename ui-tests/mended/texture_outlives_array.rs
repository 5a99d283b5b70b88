//! The mend of `ui-tests/texture_outlives_array.rs`. Drop the array after the texture, or give it to the texture.

use cuscope::texture::{ArrayFlags, ArrayShape, Sampling};
use cuscope::{PushedGuard, Result};

fn right(gpu: &PushedGuard<'_>) -> Result<u64> {
    let array = gpu.alloc_array::<f32>(ArrayShape::D1 { width: 8 }, ArrayFlags::empty())?;
    let texture = gpu.texture(&array, Sampling::default())?;
    let raw = texture.raw();
    drop(texture);
    drop(array);
    Ok(raw)
}

fn main() {}
