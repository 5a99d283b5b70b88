//! What a scope holds is used by its streams alone, until it has waited.
//!
//! **Why:** The blocking call does not wait for the fill of the scope, and both write the same elements. Which value
//! is left is chance. It is a part of `scope-borrows`.
//!
//! **Mend:** Use it after the scope, or use what holds it. See `ui-tests/mended/part_used_while_held.rs`.
//!
//! **Mistake** (E0499):

use cuscope::{DeviceSliceMut, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    part: &mut DeviceSliceMut<'_, 'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        s.on(stream).fill(&mut s.hold(part), 1.0)?;
        gpu.on(stream).zero(part)
    })
}

fn main() {}
