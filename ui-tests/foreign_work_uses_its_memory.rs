//! Memory that foreign work of a scope writes cannot be used by another operation while it is enqueued.
//!
//! **Why:** Work of other code that `foreign` lets into a stream is ordered as an operation with the same arguments
//! is. This is `foreign-ordered`.
//!
//! **Mend:** Use the memory behind the foreign work. See `ui-tests/mended/foreign_work_uses_its_memory.rs`.
//!
//! **Mistake** (E0500):

use cuscope::{PushedGuard, Result, ScopedBuffer, ScopedStream};

fn misuse<'s, 'ctx>(
    _: &PushedGuard<'ctx>,
    stream: ScopedStream<'s, 'ctx>,
    other: ScopedStream<'s, 'ctx>,
    x: &mut ScopedBuffer<'s, u32>,
) -> Result {
    unsafe { stream.foreign((&mut *x,), |_, _| other.zero(x)) }?
}

fn main() {}
