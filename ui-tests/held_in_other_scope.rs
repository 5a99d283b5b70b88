//! What one scope holds is no other scope's.
//!
//! **Why:** It would not be ordered there. It is a part of `scope-own`.
//!
//! **Mend:** Use the streams of the scope that holds it, or hold it in the inner scope. See
//! `ui-tests/mended/held_in_other_scope.rs`.
//!
//! **Mistake** (E0521):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|outer| {
        let mut held = outer.hold(buffer);
        gpu.scope(|inner| inner.on(stream).fill(&mut held, 1.0))
    })
}

fn main() {}
