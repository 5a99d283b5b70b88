//! Memory that foreign work of a scope writes cannot be used by another operation while it is enqueued.
//!
//! **Why:** The scope orders an operation when it is enqueued. The fill would be enqueued before the scope knows what
//! the foreign work does with the same memory, and both could run at the same time. It is a part of
//! `foreign-ordered`.
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
