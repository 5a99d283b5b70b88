//! A part of a buffer borrows the buffer, whose memory another allocation may get once it is dropped.
//!
//! **Why:** Only operations of its stream use memory that belongs to a stream, so the device runs all uses in the
//! order of the calls. The free is behind them. This is `ordered-apart`.
//!
//! **Mend:** Give the buffer a name. See `ui-tests/mended/ordered_part_outlives_buffer.rs`.
//!
//! **Mistake** (E0716):

use cuscope::{OrderedStream, Result};

fn misuse(ordered: &OrderedStream) -> Result {
    let part = ordered.zeroed::<f32>(8)?.slice(..4)?;
    ordered.to_vec(&part).map(drop)
}

fn main() {}
