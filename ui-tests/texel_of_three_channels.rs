//! The elements of arrays and textures have one, two or four channels.
//!
//! **Why:** An operation borrows host memory and buffers for as long as it uses them, exclusively if it writes them.
//! They are as long as the operation says. This is `host-memory-borrowed`.
//!
//! **Mend:** Use `[u8; 4]`. See `ui-tests/mended/texel_of_three_channels.rs`.
//!
//! **Mistake** (E0277):

use cuscope::texture::{Array, ArrayFlags, ArrayShape};
use cuscope::{PushedGuard, Result};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>) -> Result<Array<'ctx, [u8; 3]>> {
    gpu.alloc_array(ArrayShape::D1 { width: 8 }, ArrayFlags::empty())
}

fn main() {}
