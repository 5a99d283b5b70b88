//! The mend of `ui-tests/single_argument.rs`. Write `(&mut x,)`.

use cuscope::{DeviceBuffer, Function, LaunchConfig, SyncStream, Result};

fn right<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    mut x: DeviceBuffer<'ctx, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 16);
    unsafe { stream.launch_unchecked(kernel, config, (&mut x,)) }
}

fn main() {}
