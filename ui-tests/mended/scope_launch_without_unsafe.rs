//! The mend of `ui-tests/scope_launch_without_unsafe.rs`. Write `unsafe`, and why the kernel keeps to its memory.

use cuscope::{Function, ScopedBuffer, LaunchConfig, ScopedStream, Result};

fn right<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut ScopedBuffer<'s, f32>,
) -> Result {
    // SAFETY: the kernel keeps to `y`.
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (y,)) }
}

fn main() {}
