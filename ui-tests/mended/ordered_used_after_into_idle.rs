//! The mend of `ui-tests/ordered_used_after_into_idle.rs`. Use it before, or use the ordinary buffer.

use cuscope::{OrderedBuffer, OrderedStream, PushedGuard, Result};

fn right(gpu: &PushedGuard<'_>, ordered: &OrderedStream, mut x: OrderedBuffer<f32>) -> Result {
    ordered.fill(&mut x, 1.0)?;
    let _idle = x.into_idle(gpu)?;
    Ok(())
}

fn main() {}
