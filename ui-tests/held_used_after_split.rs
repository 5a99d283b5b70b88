//! The parts of a held buffer stand in its place: what uses the whole would not be ordered with what uses
//! them. Use the parts, or split later.

use cuscope::{ScopedBuffer, ScopedStream, Result};

fn misuse<'s>(stream: ScopedStream<'s, '_>, mut held: ScopedBuffer<'s, f32>) -> Result {
    let (mut low, _high) = held.split_at(32)?;
    stream.zero(&mut low)?;
    stream.zero(&mut held)
}

fn main() {}
