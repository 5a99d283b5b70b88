//! What a scope holds is lent to a kernel, not given.
//!
//! **Why:** The held buffer would be dropped with the call, while the kernel runs. The scope could then lend the same
//! memory to the next operation without an order. It is a part of `arguments-lowered`.
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
