//! Host memory that is in flight comes back when the device is done, and not before.
//!
//! **Why:** The copy is still writing. The program would read a value of before, or a half of a new one, in a data
//! race with the device. It is a part of `pending-owns`.
//!
//! **Mend:** Wait for the pending value, which returns the memory. See `ui-tests/mended/pending_used_early.rs`.
//!
//! **Mistake** (E0382):

use cuscope::{OrderedBuffer, OrderedStream, PinnedBuffer, Result};

fn misuse<'ctx>(
    ordered: &OrderedStream,
    x: &OrderedBuffer<f32>,
    host: PinnedBuffer<f32>,
) -> Result<f32> {
    let pending = ordered.download_owned(x, host)?;
    let early = host[0];
    drop(pending);
    Ok(early)
}

fn main() {}
