//! The parts of a held buffer stand in its place.
//!
//! **Why:** What uses the whole would not be ordered with what uses them. It is a part of `scope-ordered`.
//!
//! **Mend:** Use the parts, or split later. See `ui-tests/mended/held_used_after_split.rs`.
//!
//! **Mistake** (E0382):

use cuscope::{ScopedBuffer, ScopedStream, Result};

fn misuse<'s>(stream: ScopedStream<'s, '_>, mut held: ScopedBuffer<'s, f32>) -> Result {
    let (mut low, _high) = held.split_at(32)?;
    stream.zero(&mut low)?;
    stream.zero(&mut held)
}

fn main() {}
