//! The mend of `ui-tests/held_parts_in_one_launch.rs`. Split the buffer.

use cuscope::{Function, LaunchConfig, Result, ScopedBuffer, ScopedStream};

fn right<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: ScopedBuffer<'s, f32>,
) -> Result {
    let (low, mut high) = y.split_at(4)?;
    // SAFETY: the kernel writes 4 elements of its second argument.
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 4), (&low, &mut high)) }
}

fn main() {}
