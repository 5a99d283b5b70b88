//! The elements of arrays and textures have one, two or four channels.
//!
//! **Why:** The hardware reads texels of 1, 2 or 4 channels. With three the elements would lie at other places than
//! the host puts them. It is a part of `host-memory-borrowed`.
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
