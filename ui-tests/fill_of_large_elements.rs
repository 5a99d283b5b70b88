//! The driver fills with values of 1, 2 or 4 bytes. Write zeros by `zero`, and other values by an upload.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    x: &mut DeviceBuffer<'ctx, f64>,
) -> Result {
    gpu.on(stream).fill(x, 1.0)
}

fn main() {}
