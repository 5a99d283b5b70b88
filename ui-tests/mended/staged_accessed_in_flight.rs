//! The mend of `ui-tests/staged_accessed_in_flight.rs`. Ask again afterwards, it waits.

use cuscope::{ScopedBuffer, ScopedStream, Result, ScopedHostSlice};

fn right<'s>(
    stream: ScopedStream<'s, '_>,
    staged: &mut ScopedHostSlice<'s, f32>,
    held: &mut ScopedBuffer<'s, f32>,
) -> Result {
    stream.upload_staged(staged, held)?;
    let host = staged.access()?;
    host[0] = 1.0;
    Ok(())
}

fn main() {}
