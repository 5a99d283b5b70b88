//! What a kernel writes is no other argument of it, in a scope neither.
//!
//! **Why:** If two streams of a scope use the same memory and one of them writes it, the two uses run one after the
//! other. This covers memory that the operations name. This is `scope-ordered`.
//!
//! **Mend:** Copy it to `stream.scratch` first. See `ui-tests/mended/held_aliased_arguments.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{Function, ScopedBuffer, LaunchConfig, ScopedStream, Result};

fn misuse<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut ScopedBuffer<'s, f32>,
) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&*y, &mut *y)) }
}

fn main() {}
