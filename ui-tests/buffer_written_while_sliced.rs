//! A slice of a buffer reads it.
//!
//! **Why:** The kernel would get the same memory for reading and for writing. A compiler that was promised `const
//! __restrict__` may read an element before or after it is written. It is a part of `host-memory-borrowed`.
//!
//! **Mend:** Write the buffer before it is sliced, or when the slice is not used any more. See
//! `ui-tests/mended/buffer_written_while_sliced.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{DeviceBuffer, Function, LaunchConfig, SyncStream, Result};

fn misuse<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let part = x.slice(..8)?;
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 8), (part, &mut *x)) }
}

fn main() {}
