//! The mend of `ui-tests/part_used_while_held.rs`. Use it after the scope, or use what holds it.

use cuscope::{DeviceSliceMut, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    part: &mut DeviceSliceMut<'_, 'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        s.on(stream).fill(&mut s.hold(part), 1.0)
    })?;
    gpu.on(stream).zero(part)
}

fn main() {}
