//! Rows that one scope holds are not used in another one, which would not order the uses.

use cuscope::memory::PitchedBuffer;
use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut PitchedBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|outer| {
        let mut held = outer.hold(buffer);
        gpu.scope(|inner| inner.on(stream).fill(&mut held, 1.0))
    })
}

fn main() {}
