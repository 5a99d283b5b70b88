//! The arguments of a launch in a scope are a tuple, also a single one.
//!
//! **Why:** A launch passes one pointer for each argument. It points to a plain value, or to the address of a buffer
//! or of page-locked memory. This memory is borrowed in the way that the kernel uses it. This is
//! `arguments-lowered`.
//!
//! **Mend:** Write `(&mut *y,)`. See `ui-tests/mended/scope_single_argument.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Function, ScopedBuffer, LaunchConfig, ScopedStream, Result};

fn misuse<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut ScopedBuffer<'s, f32>,
) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), y) }
}

fn main() {}
