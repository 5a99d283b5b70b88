//! Rectangles that are written do not overlap.
//!
//! **Why:** Columns 4 to 8 would be in both. Which value is left there would depend on the order of two writes that
//! the types call independent. It is a part of `host-memory-borrowed`.
//!
//! **Mend:** Split the buffer by columns, rows or planes. See `ui-tests/mended/pitched_parts_overlap.rs`.
//!
//! **Mistake** (E0499):

use cuscope::memory::PitchedBuffer;
use cuscope::{Result, SyncStream};

fn misuse<'ctx>(stream: SyncStream<'_, 'ctx>, x: &mut PitchedBuffer<'ctx, f32>) -> Result {
    let mut left = x.part_mut(..8, .., ..)?;
    let mut right = x.part_mut(4.., .., ..)?;
    stream.fill(&mut left, 1.0)?;
    stream.fill(&mut right, 2.0)
}

fn main() {}
