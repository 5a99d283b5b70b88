//! The mend of `ui-tests/pitched_parts_overlap.rs`. Split the buffer by columns, rows or planes.

use cuscope::memory::PitchedBuffer;
use cuscope::{Result, SyncStream};

fn right<'ctx>(stream: SyncStream<'_, 'ctx>, x: &mut PitchedBuffer<'ctx, f32>) -> Result {
    let (mut left, mut right) = x.part_mut(.., .., ..)?.split_columns_at(8)?;
    stream.fill(&mut left, 1.0)?;
    stream.fill(&mut right, 2.0)
}

fn main() {}
