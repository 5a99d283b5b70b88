//! The mend of `ui-tests/ordered_adopted_then_used.rs`. Use what `adopt` returns, on the stream.

use cuscope::{DeviceBuffer, OrderedStream, Result};

fn right<'ctx>(
    ordered: &OrderedStream,
    x: DeviceBuffer<'ctx, f32>,
) -> Result {
    let mut adopted = ordered.adopt(x)?;
    ordered.fill(&mut adopted, 1.0)
}

fn main() {}
