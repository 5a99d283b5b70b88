//! The mend of `ui-tests/ordered_used_after_hand_over.rs`. Use what `hand_over` returns, on the new stream.

use cuscope::{OrderedBuffer, OrderedStream, Result};

fn right<'ctx>(
    one: &OrderedStream,
    two: &OrderedStream,
    mut x: OrderedBuffer<f32>,
) -> Result {
    one.fill(&mut x, 1.0)?;
    let mut moved = two.hand_over(x)?;
    two.fill(&mut moved, 2.0)
}

fn main() {}
