//! A part of a buffer borrows the buffer, whose memory another allocation may get once it is dropped.
//!
//! **Why:** A buffer that is dropped goes back to its stream, and the next allocation may get it. The copy would read
//! the values of that. It is a part of `ordered-apart`.
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
