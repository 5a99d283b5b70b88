//! One launch does not read and write one buffer.
//!
//! **Why:** Only operations of its stream use memory that belongs to a stream, so the device runs all uses in the
//! order of the calls. The free is behind them. This is `ordered-apart`.
//!
//! **Mend:** Pass it once, as `&mut x`, to a kernel that works in place. See
//! `ui-tests/mended/ordered_read_and_written.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{Function, LaunchConfig, OrderedBuffer, OrderedStream, Result};

fn misuse<'ctx>(
    ordered: &OrderedStream,
    kernel: &Function<'ctx>,
    mut x: OrderedBuffer<f32>,
) -> Result {
    unsafe { ordered.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&x, &mut x)) }
}

fn main() {}
