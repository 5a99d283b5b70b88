//! An ordered stream uses only its own memory.
//!
//! **Why:** A buffer that it has not adopted may be dropped while the device uses it. It is a part of
//! `ordered-apart`.
//!
//! **Mend:** Let the stream adopt the buffer. See `ui-tests/mended/ordered_takes_plain_buffer.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{DeviceBuffer, Function, LaunchConfig, OrderedStream, Result};

fn misuse<'ctx>(
    ordered: &OrderedStream,
    kernel: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    ordered.copy(x, &mut ordered.alloc(8)?)?;
    unsafe { ordered.launch_unchecked(kernel, LaunchConfig::new(1, 1), (x,)) }
}

fn main() {}
