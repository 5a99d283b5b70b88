//! The mend of `ui-tests/used_twice_through_mut_ref.rs`. Write `&mut *y` to lend it again.

use cuscope::{Function, ScopedBuffer, LaunchConfig, ScopedStream, Result};

fn right<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut ScopedBuffer<'s, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 1);
    unsafe { stream.launch_unchecked(kernel, config, (&mut *y,)) }?;
    unsafe { stream.launch_unchecked(kernel, config, (y,)) }
}

fn main() {}
