//! A growable buffer stays as it is while a scope holds it.
//!
//! **Why:** To grow maps memory and sets its access, in the range that kernels of the scope are using, and changes
//! the length that they were given. It is a part of `mapped-while-used`.
//!
//! **Mend:** Let it grow after the scope. See `ui-tests/mended/growable_grown_while_held.rs`.
//!
//! **Mistake** (E0499):

use cuscope::memory::GrowableBuffer;
use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &mut PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    mut x: GrowableBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        let mut held = s.hold(&mut x);
        s.on(stream).fill(&mut held, 1.0)?;
        x.grow(8)
    })
}

fn main() {}
