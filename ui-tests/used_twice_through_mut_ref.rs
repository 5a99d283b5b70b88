//! A `&mut ScopedBuffer` that is handed on in a tuple is moved into it: write `&mut *y` to lend it again.

use cuscope::{Function, ScopedBuffer, LaunchConfig, ScopedStream, Result};

fn misuse<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut ScopedBuffer<'s, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 1);
    unsafe { stream.launch_unchecked(kernel, config, (y,)) }?;
    unsafe { stream.launch_unchecked(kernel, config, (y,)) }
}

fn main() {}
