//! What a scope holds is lent to a kernel, not given: write `&held` for what it reads, `&mut held` for what
//! it writes.

use cuscope::{Function, ScopedBuffer, LaunchConfig, ScopedStream, Result};

fn misuse<'s, 'ctx>(stream: ScopedStream<'s, 'ctx>, kernel: &Function<'ctx>, held: ScopedBuffer<'s, f32>) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (16_u32, held)) }
}

fn main() {}
