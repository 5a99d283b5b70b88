//! The mend of `ui-tests/array_in_launch.rs`. Make a texture or a surface of the array, and pass that.

use cuscope::texture::{Array, Sampling};
use cuscope::{Function, LaunchConfig, PushedGuard, Result, SyncStream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: SyncStream<'_, 'ctx>,
    function: &Function<'ctx>,
    array: &Array<'ctx, f32>,
) -> Result {
    let texture = gpu.texture(array, Sampling::default())?;
    unsafe { stream.launch_unchecked(function, LaunchConfig::for_num_elems(8)?, (&texture,)) }
}

fn main() {}
