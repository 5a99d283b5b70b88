//! Parts that are written do not overlap: `split_at_mut` and `chunks_mut` give several at a time.

use cuscope::{DeviceBuffer, SyncStream, Result};

fn misuse<'ctx>(stream: SyncStream<'_, 'ctx>, x: &mut DeviceBuffer<'ctx, f32>) -> Result {
    let mut first = x.slice_mut(..8)?;
    let mut second = x.slice_mut(4..)?;
    stream.fill(&mut first, 1.0)?;
    stream.fill(&mut second, 2.0)
}

fn main() {}
