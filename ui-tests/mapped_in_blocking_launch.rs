//! What a scope maps is used by its streams, which order it.
//!
//! **Why:** The streams of the scope may be using that memory. A launch outside of them waits for none. It is a part
//! of `scope-ordered`.
//!
//! **Mend:** Launch on one of them, or pass `&mut pinned` outside of the scope. See
//! `ui-tests/mended/mapped_in_blocking_launch.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Function, LaunchConfig, ScopedPinned, SyncStream, Result};

fn misuse<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    mapped: &mut ScopedPinned<'_, f32>,
) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (mapped,)) }
}

fn main() {}
