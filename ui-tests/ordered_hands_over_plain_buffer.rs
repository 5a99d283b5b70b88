//! A buffer that belongs to no ordered stream is not handed over to one: the stream adopts it.

use cuscope::{DeviceBuffer, OrderedStream, Result};

fn misuse<'ctx>(ordered: &OrderedStream, x: DeviceBuffer<'ctx, f32>) -> Result {
    ordered.hand_over(x)?;
    Ok(())
}

fn main() {}
