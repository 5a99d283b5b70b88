//! What `access` lends is given back before the next transfer: ask again afterwards, it waits.

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
