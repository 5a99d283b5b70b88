//! What `access` lends is given back before the next transfer.
//!
//! **Why:** A scope borrows the memory that the device may touch until it has waited: for reading if the device only
//! reads it, else exclusively. The host gets staged memory back while no transfer uses it. This is `scope-borrows`.
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
