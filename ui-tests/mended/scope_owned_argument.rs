//! The mend of `ui-tests/scope_owned_argument.rs`. Write `&held` for what it reads, `&mut held` for what it writes.

use cuscope::{Function, ScopedBuffer, LaunchConfig, ScopedStream, Result};

fn right<'s, 'ctx>(stream: ScopedStream<'s, 'ctx>, kernel: &Function<'ctx>, mut held: ScopedBuffer<'s, f32>) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (16_u32, &mut held)) }
}

fn main() {}
