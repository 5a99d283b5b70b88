//! The driver fills with values of 1, 2 or 4 bytes.
//!
//! **Why:** A value that is read from device memory is a value of its type, and a value that is copied there is
//! initialised. This is `plain-data`.
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
