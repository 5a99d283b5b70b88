//! While a part of a buffer can be written, the buffer is not used.
//!
//! **Why:** An operation borrows host memory and buffers for as long as it uses them, exclusively if it writes them.
//! They are as long as the operation says. This is `host-memory-borrowed`.
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
