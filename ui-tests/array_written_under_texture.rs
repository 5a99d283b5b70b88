//! An array is not written while a texture borrows it.
//!
//! **Why:** A launch could read it at the same time. It is a part of `host-memory-borrowed`.
//!
//! **Mend:** Write the array before the texture is made, or when it is not used any more. See
//! `ui-tests/mended/array_written_under_texture.rs`.
//!
//! **Mistake** (E0502):

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
