//! The mend of `ui-tests/lent_for_less_than_a_scope.rs`. Lend it for the lifetime of the scope.

use cuscope::memory::{DeviceSlice, GrowableBuffer, PitchedBuffer};
use cuscope::texture::Array;
use cuscope::scope::{ScopedArray, ScopedPitchedBuffer};
use cuscope::{DeviceBuffer, Result, Scope, ScopedBuffer, ScopedHostSlice, ScopedStream};

fn host<'s, 'env, 'ctx>(scope: &'s Scope<'s, 'env, 'ctx>, host: &'env mut [f32]) -> ScopedHostSlice<'s, f32> {
    scope.stage(host)
}

fn part<'s, 'ctx>(
    on: &ScopedStream<'s, 'ctx>,
    from: DeviceSlice<'s, 'ctx, f32>,
    to: &mut ScopedBuffer<'s, f32>,
) -> Result {
    on.copy(from, to)
}

fn rows<'s, 'ctx>(
    on: &ScopedStream<'s, 'ctx>,
    from: &'s PitchedBuffer<'ctx, f32>,
    to: &mut ScopedPitchedBuffer<'s, f32>,
) -> Result {
    on.copy(from, to)
}

fn growable<'s, 'ctx>(
    on: &ScopedStream<'s, 'ctx>,
    from: &'s GrowableBuffer<'ctx, f32>,
    to: &mut ScopedBuffer<'s, f32>,
) -> Result {
    on.copy(from, to)
}

fn array<'s, 'ctx>(
    on: &ScopedStream<'s, 'ctx>,
    from: &'s Array<'ctx, f32>,
    to: &mut ScopedArray<'s, f32>,
) -> Result {
    on.copy(from, to)
}

fn memory_of_a_peer<'s, 'ctx, 'other>(
    on: &ScopedStream<'s, 'ctx>,
    from: &ScopedBuffer<'s, f32>,
    to: &'s mut DeviceBuffer<'other, f32>,
) -> Result {
    on.copy_to_peer(from, to)
}

fn main() {}
