//! The mend of `ui-tests/held_used_after_split.rs`. Use the parts, or split later.

use cuscope::{ScopedBuffer, ScopedStream, Result};

fn right<'s>(stream: ScopedStream<'s, '_>, mut held: ScopedBuffer<'s, f32>) -> Result {
    stream.zero(&mut held)?;
    let (mut low, _high) = held.split_at(32)?;
    stream.zero(&mut low)
}

fn main() {}
