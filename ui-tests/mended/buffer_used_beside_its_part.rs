//! The mend of `ui-tests/buffer_used_beside_its_part.rs`. Use it before or afterwards, or split it.

use cuscope::{DeviceBuffer, SyncStream, Result};

fn right<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
    host: &mut [f32],
) -> Result {
    stream.download(x, host)?;
    let mut part = x.slice_mut(..8)?;
    stream.fill(&mut part, 1.0)
}

fn main() {}
