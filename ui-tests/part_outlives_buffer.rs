//! A part of a buffer lives no longer than the buffer: its memory would be freed, and handed out again.

use cuscope::{DeviceBuffer, DeviceSliceMut, OnStream, Result};

fn misuse<'ctx>(queue: OnStream<'_, 'ctx>, mut x: DeviceBuffer<'ctx, f32>) -> Result {
    let mut part: DeviceSliceMut<'_, 'ctx, f32> = x.slice_mut(..8)?;
    drop(x);
    queue.fill(&mut part, 1.0)
}

fn main() {}
