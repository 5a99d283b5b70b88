//! An ordered stream lends no host memory to a kernel.
//!
//! **Why:** It may be dropped while the device uses it. It is a part of `ordered-apart`.
//!
//! **Mend:** Copy it to memory of the stream. See `ui-tests/mended/ordered_takes_pinned.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Function, LaunchConfig, OrderedStream, PinnedBuffer, Result};

fn misuse<'ctx>(
    ordered: &OrderedStream,
    kernel: &Function<'ctx>,
    x: &mut PinnedBuffer<f32>,
) -> Result {
    unsafe { ordered.launch_unchecked(kernel, LaunchConfig::new(1, 1), (x,)) }
}

fn main() {}
