//! Rectangles that are written do not overlap: split the buffer by columns, rows or planes.

use cuscope::memory::PitchedBuffer;
use cuscope::{Result, SyncStream};

fn misuse<'ctx>(stream: SyncStream<'_, 'ctx>, x: &mut PitchedBuffer<'ctx, f32>) -> Result {
    let mut left = x.part_mut(..8, .., ..)?;
    let mut right = x.part_mut(4.., .., ..)?;
    stream.fill(&mut left, 1.0)?;
    stream.fill(&mut right, 2.0)
}

fn main() {}
