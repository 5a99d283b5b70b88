//! A surface needs the array exclusively: kernels write through it.

use cuscope::texture::Array;
use cuscope::{PushedGuard, Result};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, array: &Array<'ctx, f32>) -> Result<u64> {
    Ok(gpu.surface(array)?.raw())
}

fn main() {}
