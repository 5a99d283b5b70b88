//! A texture that borrows an array lives no longer than it: a kernel would read memory that was freed.

use cuscope::texture::{ArrayFlags, ArrayShape, Sampling};
use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>) -> Result<u64> {
    let array = gpu.alloc_array::<f32>(ArrayShape::D1 { width: 8 }, ArrayFlags::empty())?;
    let texture = gpu.texture(&array, Sampling::default())?;
    drop(array);
    Ok(texture.raw())
}

fn main() {}
