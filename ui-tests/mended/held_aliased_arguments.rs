//! The mend of `ui-tests/held_aliased_arguments.rs`. Copy it to `stream.scratch` first.

use cuscope::{Function, ScopedBuffer, LaunchConfig, ScopedStream, Result};

fn right<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut ScopedBuffer<'s, f32>,
) -> Result {
    let mut copy = stream.scratch::<f32>(y.len())?;
    stream.copy(&*y, &mut copy)?;
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&copy, &mut *y)) }
}

fn main() {}
