//! The mend of `ui-tests/foreign_work_uses_its_memory.rs`. Use the memory behind the foreign work.

use cuscope::{PushedGuard, Result, ScopedBuffer, ScopedStream};

fn right<'s, 'ctx>(
    _: &PushedGuard<'ctx>,
    stream: ScopedStream<'s, 'ctx>,
    other: ScopedStream<'s, 'ctx>,
    x: &mut ScopedBuffer<'s, u32>,
) -> Result {
    unsafe { stream.foreign((&mut *x,), |_, _| ()) }?;
    other.zero(x)
}

fn main() {}
