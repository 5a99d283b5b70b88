//! A scope writes memory that it holds: `let mut held = s.hold(&mut buffer);`, and pass `&mut held`.

use cuscope::memory::PitchedBuffer;
use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut PitchedBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| s.on(stream).fill(buffer, 1.0))
}

fn main() {}
