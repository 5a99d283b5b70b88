//! `slice` and `chunks` give parts to be read.
//!
//! **Why:** What is written is a `slice_mut` or a chunk of `chunks_mut`. It is a part of `host-memory-borrowed`.
//!
//! **Mend:** Write `slice_mut` or `chunks_mut`. See `ui-tests/mended/read_part_written.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{DeviceBuffer, SyncStream, Result};

fn misuse<'ctx>(stream: SyncStream<'_, 'ctx>, x: &mut DeviceBuffer<'ctx, f32>) -> Result {
    stream.fill(&mut x.slice(..8)?, 1.0)
}

fn main() {}
