//! A slice itself is copied by `upload` and `download`; the staged forms take what `s.stage` or `s.map` made.
//!
//! **Why:** A staged transfer lets the host have the memory again within the scope, by `access`, which waits for it.
//! A plain slice has nothing that could wait. It is a part of `scope-borrows`.
//!
//! **Mend:** Write `upload`. See `ui-tests/mended/host_slice_staged.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{ScopedBuffer, ScopedStream, Result};

fn misuse<'s>(stream: ScopedStream<'s, '_>, host: &'s [f32; 64], held: &mut ScopedBuffer<'s, f32>) -> Result {
    stream.upload_staged(host, held)
}

fn main() {}
