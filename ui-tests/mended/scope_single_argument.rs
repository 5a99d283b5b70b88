//! The mend of `ui-tests/scope_single_argument.rs`. Write `(&mut *y,)`.

use cuscope::{Function, ScopedBuffer, LaunchConfig, ScopedStream, Result};

fn right<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut ScopedBuffer<'s, f32>,
) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mut *y,)) }
}

fn main() {}
