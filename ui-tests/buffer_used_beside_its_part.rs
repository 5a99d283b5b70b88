//! While a part of a buffer can be written, the buffer is not used: use it before or afterwards, or split it.

use cuscope::{DeviceBuffer, OnStream, Result};

fn misuse<'ctx>(
    queue: OnStream<'_, 'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
    host: &mut [f32],
) -> Result {
    let mut part = x.slice_mut(..8)?;
    queue.download(x, host)?;
    queue.fill(&mut part, 1.0)
}

fn main() {}
