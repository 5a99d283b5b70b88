//! An array has no address that a kernel could follow: the kernel takes a texture or a surface of it.

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
