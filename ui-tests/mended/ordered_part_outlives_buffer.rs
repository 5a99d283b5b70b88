//! The mend of `ui-tests/ordered_part_outlives_buffer.rs`. Give the buffer a name.

use cuscope::{OrderedStream, Result};

fn right(ordered: &OrderedStream) -> Result {
    let buffer = ordered.zeroed::<f32>(8)?;
    let part = buffer.slice(..4)?;
    ordered.to_vec(&part).map(drop)
}

fn main() {}
