//! An array is not written while a texture borrows it: a launch could read it at the same time.

use cuscope::texture::{Array, Sampling};
use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    array: &mut Array<'ctx, f32>,
) -> Result<u64> {
    let texture = gpu.texture(&*array, Sampling::default())?;
    gpu.on(stream).upload(&[1.0; 8], array)?;
    Ok(texture.raw())
}

fn main() {}
