//! Page-locked memory that a kernel of a scope writes is not read until the scope ends.
//!
//! **Why:** A scope borrows the memory that the device may touch until it has waited: for reading if the device only
//! reads it, else exclusively. The host gets staged memory back while no transfer uses it. This is `scope-borrows`.
//!
//! **Mend:** Read it afterwards, or map it, `s.map(&mut pinned)`, and ask for it with `access`. See
//! `ui-tests/mended/pinned_read_in_flight.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{Function, LaunchConfig, PinnedBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    mut pinned: PinnedBuffer<f32>,
) -> Result<f32> {
    gpu.scope(|s| {
        unsafe { s.on(stream).launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mut pinned,)) }?;
        Ok(pinned[0])
    })
}

fn main() {}
