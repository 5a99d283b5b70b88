//! The mend of `ui-tests/pitched_held_in_other_scope.rs`. Use the streams of the scope that holds them.

use cuscope::memory::PitchedBuffer;
use cuscope::{PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut PitchedBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|outer| {
        let mut held = outer.hold(buffer);
        outer.on(stream).fill(&mut held, 1.0)
    })
}

fn main() {}
