//! A scope writes memory that it holds.
//!
//! **Why:** What the scope does not hold has no record of its last uses. Two streams could fill the same rows at the
//! same time. It is a part of `scope-ordered`.
//!
//! **Mend:** Write `let mut held = s.hold(&mut buffer);`, and pass `&mut held`. See
//! `ui-tests/mended/pitched_written_without_hold.rs`.
//!
//! **Mistake** (E0277):

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
