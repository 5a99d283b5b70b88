//! Page-locked memory that a kernel of a scope writes is not read until the scope ends.
//!
//! **Why:** The kernel may write the element at that moment, over the bus. The program would read an old value, and
//! the compiler may assume that nothing changes it. It is a part of `scope-borrows`.
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
