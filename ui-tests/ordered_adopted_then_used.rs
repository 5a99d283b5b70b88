//! A buffer that a stream has adopted is used by that stream, through what `adopt` returns.

use cuscope::{DeviceBuffer, OrderedStream, PushedGuard, Result};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    ordered: &OrderedStream,
    mut x: DeviceBuffer<'ctx, f32>,
) -> Result {
    let _adopted = ordered.adopt(x)?;
    gpu.on(ordered.stream(gpu)?).fill(&mut x, 1.0)
}

fn main() {}
