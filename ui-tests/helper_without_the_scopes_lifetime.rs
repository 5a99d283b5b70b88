//! A helper names the scope's lifetime, and only that: `fn fill<'s>(stream: ScopedStream<'s, '_>, x: &mut
//! ScopedBuffer<'s, f32>)`. With one lifetime for both, as the compiler suggests, nothing can call it.

use cuscope::{Result, ScopedBuffer, ScopedStream};

fn misuse(stream: ScopedStream<'_, '_>, x: &mut ScopedBuffer<'_, f32>) -> Result {
    stream.fill(x, 1.0)
}

fn main() {}
