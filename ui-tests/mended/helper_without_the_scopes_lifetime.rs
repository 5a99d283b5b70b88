//! The mend of `ui-tests/helper_without_the_scopes_lifetime.rs`. Write `fn fill<'s>(stream: ScopedStream<'s, '_>, x:
//! &mut ScopedBuffer<'s, f32>)`.

use cuscope::{Result, ScopedBuffer, ScopedStream};

fn right<'s>(stream: ScopedStream<'s, '_>, x: &mut ScopedBuffer<'s, f32>) -> Result {
    stream.fill(x, 1.0)
}

fn main() {}
