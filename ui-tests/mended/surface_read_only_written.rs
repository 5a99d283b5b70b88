//! The mend of `ui-tests/surface_read_only_written.rs`. Take the array as `&mut`.

use cuscope::texture::Array;
use cuscope::{PushedGuard, Result};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, array: &mut Array<'ctx, f32>) -> Result<u64> {
    Ok(gpu.surface(array)?.raw())
}

fn main() {}
