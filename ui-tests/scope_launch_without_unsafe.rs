//! A launch on a stream is `unsafe`, as every launch is: the kernel is outside Rust.

use cuscope::{Function, ScopedBuffer, LaunchConfig, ScopedStream, Result};

fn misuse<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut ScopedBuffer<'s, f32>,
) -> Result {
    stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (y,))
}

fn main() {}
