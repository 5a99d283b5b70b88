//! The mend of `ui-tests/held_in_other_scope.rs`. Use the streams of the scope that holds it, or hold it in the
//! inner scope.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|outer| {
        let mut held = outer.hold(buffer);
        outer.on(stream).fill(&mut held, 1.0)
    })
}

fn main() {}
