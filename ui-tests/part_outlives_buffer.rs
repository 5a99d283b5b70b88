//! A part of a buffer lives no longer than the buffer.
//!
//! **Why:** Its memory would be freed, and handed out again. It is a part of `host-memory-borrowed`.
//!
//! **Mend:** Drop the buffer after its last part. See `ui-tests/mended/part_outlives_buffer.rs`.
//!
//! **Mistake** (E0505):

use cuscope::{DeviceBuffer, DeviceSliceMut, SyncStream, Result};

fn misuse<'ctx>(stream: SyncStream<'_, 'ctx>, mut x: DeviceBuffer<'ctx, f32>) -> Result {
    let mut part: DeviceSliceMut<'_, 'ctx, f32> = x.slice_mut(..8)?;
    drop(x);
    stream.fill(&mut part, 1.0)
}

fn main() {}
