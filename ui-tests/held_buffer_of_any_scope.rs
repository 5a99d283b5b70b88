//! A buffer that one scope holds is read in no other.
//!
//! **Why:** That one does not know what is in flight on it. It is a part of `scope-own`.
//!
//! **Mend:** Give both buffers the lifetime of the scope. See `ui-tests/mended/held_buffer_of_any_scope.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{Result, ScopedBuffer, ScopedStream};

fn misuse<'s, 'other, 'ctx>(
    on: &ScopedStream<'s, 'ctx>,
    from: &ScopedBuffer<'other, f32>,
    to: &mut ScopedBuffer<'s, f32>,
) -> Result {
    on.copy(from, to)
}

fn main() {}
