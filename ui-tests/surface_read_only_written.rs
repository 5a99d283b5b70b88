//! A surface needs the array exclusively.
//!
//! **Why:** Kernels write through it. It is a part of `host-memory-borrowed`.
//!
//! **Mend:** Take the array as `&mut`. See `ui-tests/mended/surface_read_only_written.rs`.
//!
//! **Mistake** (E0277):

use cuscope::texture::Array;
use cuscope::{PushedGuard, Result};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, array: &Array<'ctx, f32>) -> Result<u64> {
    Ok(gpu.surface(array)?.raw())
}

fn main() {}
