//! What `access` lends is given back before the next transfer.
//!
//! **Why:** The transfer reads the memory while the host writes it, so that the device gets some old and some new
//! values. It is a part of `scope-borrows`.
//!
//! **Mend:** Ask again afterwards, it waits. See `ui-tests/mended/staged_accessed_in_flight.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{ScopedBuffer, ScopedStream, Result, ScopedHostSlice};

fn misuse<'s>(
    stream: ScopedStream<'s, '_>,
    staged: &mut ScopedHostSlice<'s, f32>,
    held: &mut ScopedBuffer<'s, f32>,
) -> Result {
    let host = staged.access()?;
    stream.upload_staged(staged, held)?;
    host[0] = 1.0;
    Ok(())
}

fn main() {}
