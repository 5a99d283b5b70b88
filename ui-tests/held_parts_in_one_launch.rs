//! Two parts of a held buffer, of which one is written, come from a split.
//!
//! **Why:** Each is a buffer of its own then. It is a part of `scope-ordered`.
//!
//! **Mend:** Split the buffer. See `ui-tests/mended/held_parts_in_one_launch.rs`.
//!
//! **Mistake** (E0502):
#![allow(unsafe_code)]

use cuscope::{Function, LaunchConfig, Result, ScopedBuffer, ScopedStream};

fn misuse<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut ScopedBuffer<'s, f32>,
) -> Result {
    // SAFETY: the kernel writes 4 elements of its second argument.
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 4), (&y.slice(..4)?, &mut y.slice_mut(4..)?)) }
}

fn main() {}
