//! The mend of `ui-tests/pitched_held_used_after_split.rs`. Use the parts, or split later.

use cuscope::scope::ScopedPitchedBuffer;
use cuscope::{Result, ScopedStream};

fn right<'s>(stream: ScopedStream<'s, '_>, mut held: ScopedPitchedBuffer<'s, f32>) -> Result {
    stream.zero(&mut held)?;
    let (mut left, _right) = held.split_columns_at(4)?;
    stream.zero(&mut left)
}

fn main() {}
