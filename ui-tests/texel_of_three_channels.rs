//! The elements of arrays and textures have one, two or four channels.

use cuscope::texture::{Array, ArrayFlags, ArrayShape};
use cuscope::{PushedGuard, Result};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>) -> Result<Array<'ctx, [u8; 3]>> {
    gpu.alloc_array(ArrayShape::D1 { width: 8 }, ArrayFlags::empty())
}

fn main() {}
