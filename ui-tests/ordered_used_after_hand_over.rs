//! A buffer that was handed over is used by its new stream, through what `hand_over` returns.
//!
//! **Why:** The first stream would write what the second one already reads, with no event between them. It is a part
//! of `ordered-apart`.
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
