//! The arguments of a launch in a scope are a tuple, also a single one.
//!
//! **Why:** A kernel has a list of parameters. A lone value could itself be a tuple, and it would not be plain which
//! of the two is meant. It is a part of `arguments-lowered`.
//!
//! **Mend:** Write `(&mut *y,)`. See `ui-tests/mended/scope_single_argument.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Function, ScopedBuffer, LaunchConfig, ScopedStream, Result};

fn misuse<'s, 'ctx>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    y: &mut ScopedBuffer<'s, f32>,
) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), y) }
}

fn main() {}
