//! The arguments of a launch in a scope are a tuple, also a single one: write `(&mut *y,)`.

use cuscope::{Function, ScopedBuffer, LaunchConfig, ScopedStream, Result};

fn misuse<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut ScopedBuffer<'s, f32>,
) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), y) }
}

fn main() {}
