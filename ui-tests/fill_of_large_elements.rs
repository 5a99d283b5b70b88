//! The driver fills with values of 1, 2 or 4 bytes.
//!
//! **Why:** `cuMemsetD32` repeats a pattern of 4 bytes. An `f64` of 1.0 has two different halves, so the fill would
//! give numbers that nobody asked for. It is a part of `plain-data`.
//!
//! **Mend:** Write zeros by `zero`, and other values by an upload. See `ui-tests/mended/fill_of_large_elements.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    x: &mut DeviceBuffer<'ctx, f64>,
) -> Result {
    gpu.on(stream).fill(x, 1.0)
}

fn main() {}
