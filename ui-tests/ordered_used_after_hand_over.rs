//! A buffer that was handed over is used by its new stream, through what `hand_over` returns.
//!
//! **Why:** Only operations of its stream use memory that belongs to a stream, so the device runs all uses in the
//! order of the calls. The free is behind them. This is `ordered-apart`.
//!
//! **Mend:** Use what `hand_over` returns, on the new stream. See `ui-tests/mended/ordered_used_after_hand_over.rs`.
//!
//! **Mistake** (E0382):

use cuscope::{OrderedBuffer, OrderedStream, Result};

fn misuse<'ctx>(
    one: &OrderedStream,
    two: &OrderedStream,
    mut x: OrderedBuffer<f32>,
) -> Result {
    let _moved = two.hand_over(x)?;
    one.fill(&mut x, 1.0)
}

fn main() {}
