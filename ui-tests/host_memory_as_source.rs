//! A download reads device memory.
//!
//! **Why:** The device writes the one end and reads the other. It is a part of `scope-borrows`.
//!
//! **Mend:** Download device memory, and copy from host to host by `copy_from_slice`. See
//! `ui-tests/mended/host_memory_as_source.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{ScopedStream, Result};

fn misuse<'s>(stream: ScopedStream<'s, '_>, from: &'s [f32], to: &'s mut [f32]) -> Result {
    stream.download(from, to)
}

fn main() {}
