//! A helper names the scope's lifetime, and only that.
//!
//! **Why:** The memory belongs to the scope of the stream. With one lifetime for both, as the compiler suggests,
//! nothing can call the helper. It is a part of `scope-own`.
//!
//! **Mend:** Write `fn fill<'s>(stream: ScopedStream<'s, '_>, x: &mut ScopedBuffer<'s, f32>)`. See
//! `ui-tests/mended/helper_without_the_scopes_lifetime.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{Result, ScopedBuffer, ScopedStream};

fn misuse(stream: ScopedStream<'_, '_>, x: &mut ScopedBuffer<'_, f32>) -> Result {
    stream.fill(x, 1.0)
}

fn main() {}
