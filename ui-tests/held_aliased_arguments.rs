//! What a kernel writes is no other argument of it, in a scope neither: copy it to `stream.scratch` first.

use cuscope::{Function, ScopedBuffer, LaunchConfig, ScopedStream, Result};

fn misuse<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut ScopedBuffer<'s, f32>,
) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&*y, &mut *y)) }
}

fn main() {}
