//! An array has no address that a kernel could follow.
//!
//! **Why:** The kernel takes a texture or a surface of it. It is a part of `host-memory-borrowed`.
//!
//! **Mend:** Make a texture or a surface of the array, and pass that. See `ui-tests/mended/array_in_launch.rs`.
//!
//! **Mistake** (E0277):

use cuscope::texture::Array;
use cuscope::{Function, LaunchConfig, Result, SyncStream};

fn misuse<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    function: &Function<'ctx>,
    array: &Array<'ctx, f32>,
) -> Result {
    unsafe { stream.launch_unchecked(function, LaunchConfig::for_num_elems(8)?, (array,)) }
}

fn main() {}
