//! A part of a buffer borrows the buffer, whose memory another allocation may get once it is dropped.

use cuscope::{OrderedStream, Result};

fn misuse(ordered: &OrderedStream) -> Result {
    let part = ordered.zeroed::<f32>(8)?.slice(..4)?;
    ordered.to_vec(&part).map(drop)
}

fn main() {}
