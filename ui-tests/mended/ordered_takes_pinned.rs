//! The mend of `ui-tests/ordered_takes_pinned.rs`. Copy it to memory of the stream.

use cuscope::{Function, LaunchConfig, OrderedStream, PinnedBuffer, Result};

fn right<'ctx>(
    ordered: &OrderedStream,
    kernel: &Function<'ctx>,
    x: &PinnedBuffer<f32>,
) -> Result {
    let mut x = ordered.from_slice(x)?;
    unsafe { ordered.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mut x,)) }
}

fn main() {}
