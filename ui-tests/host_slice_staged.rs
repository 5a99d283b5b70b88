//! A slice itself is copied by `upload` and `download`; the staged forms take what `s.stage` or `s.map` made.

use cuscope::{ScopedBuffer, ScopedStream, Result};

fn misuse<'s>(stream: ScopedStream<'s, '_>, host: &'s [f32; 64], held: &mut ScopedBuffer<'s, f32>) -> Result {
    stream.upload_staged(host, held)
}

fn main() {}
