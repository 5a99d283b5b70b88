//! The mend of `ui-tests/mapped_in_blocking_launch.rs`. Launch on one of them, or pass `&mut pinned` outside of the
//! scope.

use cuscope::{Function, LaunchConfig, ScopedPinned, ScopedStream, Result};

fn right<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    mapped: &mut ScopedPinned<'s, f32>,
) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mut *mapped,)) }
}

fn main() {}
