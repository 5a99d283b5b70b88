//! Memory that foreign work of a scope writes cannot be used by another operation while it is enqueued.

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
