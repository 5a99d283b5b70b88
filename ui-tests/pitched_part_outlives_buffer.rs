//! A rectangle lives no longer than its buffer.
//!
//! **Why:** The memory would be freed, and handed out again. It is a part of `host-memory-borrowed`.
//!
//! **Mend:** Drop the buffer after its last rectangle. See `ui-tests/mended/pitched_part_outlives_buffer.rs`.
//!
//! **Mistake** (E0505):

use cuscope::memory::PitchedBuffer;
use cuscope::{Result, SyncStream};

fn misuse<'ctx>(stream: SyncStream<'_, 'ctx>, mut x: PitchedBuffer<'ctx, f32>) -> Result {
    let mut part = x.part_mut(..8, .., ..)?;
    drop(x);
    stream.fill(&mut part, 1.0)
}

fn main() {}
