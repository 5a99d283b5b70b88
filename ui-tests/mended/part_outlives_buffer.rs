//! The mend of `ui-tests/part_outlives_buffer.rs`. Drop the buffer after its last part.

use cuscope::{DeviceBuffer, DeviceSliceMut, SyncStream, Result};

fn right<'ctx>(stream: SyncStream<'_, 'ctx>, mut x: DeviceBuffer<'ctx, f32>) -> Result {
    let mut part: DeviceSliceMut<'_, 'ctx, f32> = x.slice_mut(..8)?;
    stream.fill(&mut part, 1.0)?;
    drop(x);
    Ok(())
}

fn main() {}
