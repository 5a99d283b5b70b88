//! What a scope holds is used by its streams alone, until it has waited: a part of a buffer too.

use cuscope::{DeviceSliceMut, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    part: &mut DeviceSliceMut<'_, 'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        s.on(stream).fill(&mut s.hold(part), 1.0)?;
        gpu.on(stream).zero(part)
    })
}

fn main() {}
