//! What a scope maps is used by its streams, which order it: launch on one of them, or pass `&mut pinned`
//! outside of the scope.

use cuscope::{Function, LaunchConfig, ScopedPinned, SyncStream, Result};

fn misuse<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    mapped: &mut ScopedPinned<'_, f32>,
) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (mapped,)) }
}

fn main() {}
