//! A buffer that one scope holds is read in no other: that one does not know what is in flight on it.

use cuscope::{Result, ScopedBuffer, ScopedStream};

fn misuse<'s, 'other, 'ctx>(
    on: &ScopedStream<'s, 'ctx>,
    from: &ScopedBuffer<'other, f32>,
    to: &mut ScopedBuffer<'s, f32>,
) -> Result {
    on.copy(from, to)
}

fn main() {}
