//! What a scope reads or writes is lent to it until it has waited.
//!
//! **Why:** Host memory, and memory that it does not hold. If it were lent for the call alone, the program could
//! change or free it while a copy is in flight. It is a part of `scope-borrows`.
//!
//! **Mend:** Lend it for the lifetime of the scope. See `ui-tests/mended/lent_for_less_than_a_scope.rs`.
//!
//! **Mistake** (E0621, a lifetime that may not live long enough):

use cuscope::memory::{DeviceSlice, GrowableBuffer, PitchedBuffer};
use cuscope::texture::Array;
use cuscope::scope::{ScopedArray, ScopedPitchedBuffer};
use cuscope::{DeviceBuffer, Result, Scope, ScopedBuffer, ScopedHostSlice, ScopedStream};

fn host<'s, 'env, 'ctx>(scope: &'s Scope<'s, 'env, 'ctx>, host: &mut [f32]) -> ScopedHostSlice<'s, f32> {
    scope.stage(host)
}

fn part<'s, 'ctx>(
    on: &ScopedStream<'s, 'ctx>,
    from: DeviceSlice<'_, 'ctx, f32>,
    to: &mut ScopedBuffer<'s, f32>,
) -> Result {
    on.copy(from, to)
}

fn rows<'s, 'ctx>(
    on: &ScopedStream<'s, 'ctx>,
    from: &PitchedBuffer<'ctx, f32>,
    to: &mut ScopedPitchedBuffer<'s, f32>,
) -> Result {
    on.copy(from, to)
}

fn growable<'s, 'ctx>(
    on: &ScopedStream<'s, 'ctx>,
    from: &GrowableBuffer<'ctx, f32>,
    to: &mut ScopedBuffer<'s, f32>,
) -> Result {
    on.copy(from, to)
}

fn array<'s, 'ctx>(
    on: &ScopedStream<'s, 'ctx>,
    from: &Array<'ctx, f32>,
    to: &mut ScopedArray<'s, f32>,
) -> Result {
    on.copy(from, to)
}

fn memory_of_a_peer<'s, 'ctx, 'other>(
    on: &ScopedStream<'s, 'ctx>,
    from: &ScopedBuffer<'s, f32>,
    to: &mut DeviceBuffer<'other, f32>,
) -> Result {
    on.copy_to_peer(from, to)
}

fn main() {}
