//! While a part of a buffer can be written, the buffer is not used: use it before or afterwards, or split it.

use cuscope::{DeviceBuffer, SyncStream, Result};

fn misuse<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
    host: &mut [f32],
) -> Result {
    let mut part = x.slice_mut(..8)?;
    stream.download(x, host)?;
    stream.fill(&mut part, 1.0)
}

fn main() {}
