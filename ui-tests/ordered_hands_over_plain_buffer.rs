//! A buffer that belongs to no ordered stream is not handed over to one.
//!
//! **Why:** Only operations of its stream use memory that belongs to a stream, so the device runs all uses in the
//! order of the calls. The free is behind them. This is `ordered-apart`.
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
