//! A launch on a stream is `unsafe`, as every launch is.
//!
//! **Why:** The kernel is outside Rust. It is a part of `idle-outside`.
//!
//! **Mend:** Write `unsafe`, and why the kernel keeps to its memory. See
//! `ui-tests/mended/scope_launch_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::{Function, ScopedBuffer, LaunchConfig, ScopedStream, Result};

fn misuse<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut ScopedBuffer<'s, f32>,
) -> Result {
    stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), (y,))
}

fn main() {}
