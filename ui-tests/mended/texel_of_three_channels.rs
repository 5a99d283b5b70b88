//! The mend of `ui-tests/texel_of_three_channels.rs`. Use `[u8; 4]`.

use cuscope::texture::{Array, ArrayFlags, ArrayShape};
use cuscope::{PushedGuard, Result};

fn right<'ctx>(gpu: &PushedGuard<'ctx>) -> Result<Array<'ctx, [u8; 4]>> {
    gpu.alloc_array(ArrayShape::D1 { width: 8 }, ArrayFlags::empty())
}

fn main() {}
