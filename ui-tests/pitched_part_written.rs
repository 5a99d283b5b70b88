//! A rectangle that `part` gives is read.
//!
//! **Why:** An operation borrows host memory and buffers for as long as it uses them, exclusively if it writes them.
//! They are as long as the operation says. This is `host-memory-borrowed`.
//!
//! **Mend:** Take `part_mut` for a rectangle to be written. See `ui-tests/mended/pitched_part_written.rs`.
//!
//! **Mistake** (E0277):

use cuscope::memory::PitchedBuffer;
use cuscope::{Result, SyncStream};

fn misuse<'ctx>(stream: SyncStream<'_, 'ctx>, x: &PitchedBuffer<'ctx, f32>) -> Result {
    stream.fill(&mut x.part(..8, .., ..)?, 1.0)
}

fn main() {}
