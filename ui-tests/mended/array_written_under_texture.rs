//! The mend of `ui-tests/array_written_under_texture.rs`. Write the array before the texture is made, or when it is
//! not used any more.

use cuscope::texture::{Array, Sampling};
use cuscope::{PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    array: &mut Array<'ctx, f32>,
) -> Result<u64> {
    gpu.on(stream).upload(&[1.0; 8], array)?;
    let texture = gpu.texture(&*array, Sampling::default())?;
    Ok(texture.raw())
}

fn main() {}
