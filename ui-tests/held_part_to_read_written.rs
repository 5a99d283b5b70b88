//! The slice of a held buffer is read.
//!
//! **Why:** What is written is a `slice_mut`. It is a part of `scope-ordered`.
//!
//! **Mend:** Write `slice_mut`. See `ui-tests/mended/held_part_to_read_written.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Result, ScopedBuffer, ScopedStream};

fn misuse<'s>(stream: ScopedStream<'s, '_>, x: &mut ScopedBuffer<'s, f32>) -> Result {
    stream.fill(&mut x.slice(..4)?, 1.0)
}

fn main() {}
