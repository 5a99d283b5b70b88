//! The mend of `ui-tests/ordered_hands_over_plain_buffer.rs`. Call `adopt`.

use cuscope::{DeviceBuffer, OrderedStream, Result};

fn right<'ctx>(ordered: &OrderedStream, x: DeviceBuffer<'ctx, f32>) -> Result {
    ordered.adopt(x)?;
    Ok(())
}

fn main() {}
