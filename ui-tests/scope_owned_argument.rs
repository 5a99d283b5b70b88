//! What a scope holds is lent to a kernel, not given.
//!
//! **Why:** A launch passes one pointer for each argument. It points to a plain value, or to the address of a buffer
//! or of page-locked memory. This memory is borrowed in the way that the kernel uses it. This is
//! `arguments-lowered`.
//!
//! **Mend:** Write `&held` for what it reads, `&mut held` for what it writes. See
//! `ui-tests/mended/scope_owned_argument.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Function, ScopedBuffer, LaunchConfig, ScopedStream, Result};

fn misuse<'s, 'ctx>(stream: ScopedStream<'s, 'ctx>, kernel: &Function<'ctx>, held: ScopedBuffer<'s, f32>) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (16_u32, held)) }
}

fn main() {}
