//! The mend of `ui-tests/growable_grown_while_held.rs`. Let it grow after the scope.

use cuscope::memory::GrowableBuffer;
use cuscope::{PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &mut PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    mut x: GrowableBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        let mut held = s.hold(&mut x);
        s.on(stream).fill(&mut held, 1.0)
    })?;
    x.grow(8)
}

fn main() {}
