//! The mend of `ui-tests/held_buffer_of_any_scope.rs`. Give both buffers the lifetime of the scope.

use cuscope::{Result, ScopedBuffer, ScopedStream};

fn right<'s, 'ctx>(
    on: &ScopedStream<'s, 'ctx>,
    from: &ScopedBuffer<'s, f32>,
    to: &mut ScopedBuffer<'s, f32>,
) -> Result {
    on.copy(from, to)
}

fn main() {}
