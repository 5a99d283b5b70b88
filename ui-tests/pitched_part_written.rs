//! A rectangle that `part` gives is read.
//!
//! **Why:** Others may read the same rectangle at the same time. A write needs the buffer alone, as each `&mut` of
//! Rust does. It is a part of `host-memory-borrowed`.
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
