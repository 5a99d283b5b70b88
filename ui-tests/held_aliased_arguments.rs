//! What a kernel writes is no other argument of it, in a scope neither.
//!
//! **Why:** The kernel would read and write one buffer by two pointers. Its threads run in any order, so that each
//! sees some elements before and some after they were written. It is a part of `scope-ordered`.
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
