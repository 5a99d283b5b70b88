//! Rows that one scope holds are not used in another one, which would not order the uses.
//!
//! **Why:** The inner scope would fill the rows while a stream of the outer one still reads them. It is a part of
//! `scope-own`.
//!
//! **Mend:** Use the streams of the scope that holds them. See `ui-tests/mended/pitched_held_in_other_scope.rs`.
//!
//! **Mistake** (E0521):

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
