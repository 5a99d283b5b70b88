//! The mend of `ui-tests/pitched_part_written.rs`. Take `part_mut` for a rectangle to be written.

use cuscope::memory::PitchedBuffer;
use cuscope::{Result, SyncStream};

fn right<'ctx>(stream: SyncStream<'_, 'ctx>, x: &mut PitchedBuffer<'ctx, f32>) -> Result {
    stream.fill(&mut x.part_mut(..8, .., ..)?, 1.0)
}

fn main() {}
