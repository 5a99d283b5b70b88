//! A buffer that belongs to no ordered stream is not handed over to one.
//!
//! **Why:** To hand over is to let one stream wait for another. A plain buffer has no stream to wait for, so work
//! that is still in flight with it would race. It is a part of `ordered-apart`.
//!
//! **Mend:** Call `adopt`. See `ui-tests/mended/ordered_hands_over_plain_buffer.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{DeviceBuffer, OrderedStream, Result};

fn misuse<'ctx>(ordered: &OrderedStream, x: DeviceBuffer<'ctx, f32>) -> Result {
    ordered.hand_over(x)?;
    Ok(())
}

fn main() {}
