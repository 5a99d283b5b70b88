//! While a part of a buffer can be written, the buffer is not used.
//!
//! **Why:** If both were allowed, the download could read the elements that the fill is writing, and the program
//! would get some old and some new values. It is a part of `host-memory-borrowed`.
//!
//! **Mend:** Use it before or afterwards, or split it. See `ui-tests/mended/buffer_used_beside_its_part.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{DeviceBuffer, SyncStream, Result};

fn misuse<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
    host: &mut [f32],
) -> Result {
    let mut part = x.slice_mut(..8)?;
    stream.download(x, host)?;
    stream.fill(&mut part, 1.0)
}

fn main() {}
