//! A buffer that was handed over is used by its new stream, through what `hand_over` returns.

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
