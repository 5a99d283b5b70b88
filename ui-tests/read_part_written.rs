//! `slice` and `chunks` give parts to be read. What is written is a `slice_mut` or a chunk of `chunks_mut`.

use cuscope::{DeviceBuffer, OnStream, Result};

fn misuse<'ctx>(queue: OnStream<'_, 'ctx>, x: &mut DeviceBuffer<'ctx, f32>) -> Result {
    queue.fill(&mut x.slice(..8)?, 1.0)
}

fn main() {}
