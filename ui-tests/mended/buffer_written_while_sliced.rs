//! The mend of `ui-tests/buffer_written_while_sliced.rs`. Write the buffer before it is sliced, or when the slice is
//! not used any more.

use cuscope::{DeviceBuffer, Function, LaunchConfig, SyncStream, Result};

fn right<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 8), (&mut *x,)) }?;
    let part = x.slice(..8)?;
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 8), (part,)) }
}

fn main() {}
