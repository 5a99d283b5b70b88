//! A slice itself is copied by `upload` and `download`; the staged forms take what `s.stage` or `s.map` made.
//!
//! **Why:** A scope borrows the memory that the device may touch until it has waited: for reading if the device only
//! reads it, else exclusively. The host gets staged memory back while no transfer uses it. This is `scope-borrows`.
//!
//! **Mend:** Write `upload`. See `ui-tests/mended/host_slice_staged.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{ScopedBuffer, ScopedStream, Result};

fn misuse<'s>(stream: ScopedStream<'s, '_>, host: &'s [f32; 64], held: &mut ScopedBuffer<'s, f32>) -> Result {
    stream.upload_staged(host, held)
}

fn main() {}
