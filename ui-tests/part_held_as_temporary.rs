//! A scope holds a part until it has waited, so that the part is taken outside of it.
//!
//! **Why:** The borrow of `x` would end with the statement. The program could then use `x` while the fill is still to
//! come. It is a part of `scope-borrows`.
//!
//! **Mend:** Write `let mut part = x.slice_mut(..8)?;` above the scope, or `s.hold(x).split_at(8)?` inside. See
//! `ui-tests/mended/part_held_as_temporary.rs`.
//!
//! **Mistake** (E0716):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        let mut held = s.hold(&mut x.slice_mut(..8)?);
        s.on(stream).fill(&mut held, 1.0)
    })
}

fn main() {}
