//! The mend of `ui-tests/pitched_written_without_hold.rs`. Write `let mut held = s.hold(&mut buffer);`, and pass
//! `&mut held`.

use cuscope::memory::PitchedBuffer;
use cuscope::{PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut PitchedBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| s.on(stream).fill(&mut s.hold(buffer), 1.0))
}

fn main() {}
