//! The slice of a held buffer is read. What is written is a `slice_mut`.

use cuscope::{Result, ScopedBuffer, ScopedStream};

fn misuse<'s>(stream: ScopedStream<'s, '_>, x: &mut ScopedBuffer<'s, f32>) -> Result {
    stream.fill(&mut x.slice(..4)?, 1.0)
}

fn main() {}
