//! A copy goes from one buffer to another.
//!
//! **Why:** The driver refuses one that overlaps (F64). It is a part of `host-memory-borrowed`.
//!
//! **Mend:** Copy between two buffers, or between parts that `split_at_mut` gives. See
//! `ui-tests/mended/copy_to_itself.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.on(stream).copy(buffer, buffer)
}

fn main() {}
