//! While a scope holds memory of an ordered stream, the stream does not use it.

use cuscope::{OrderedBuffer, OrderedStream, PushedGuard, Result};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    ordered: &OrderedStream,
    mut x: OrderedBuffer<f32>,
) -> Result {
    gpu.scope(|s| {
        let _held = s.hold_ordered(&mut x)?;
        ordered.fill(&mut x, 1.0)
    })
}

fn main() {}
