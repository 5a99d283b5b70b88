//! `slice` and `chunks` give parts to be read. What is written is a `slice_mut` or a chunk of `chunks_mut`.

use cuscope::{DeviceBuffer, SyncStream, Result};

fn misuse<'ctx>(stream: SyncStream<'_, 'ctx>, x: &mut DeviceBuffer<'ctx, f32>) -> Result {
    stream.fill(&mut x.slice(..8)?, 1.0)
}

fn main() {}
