//! Whatever writes a buffer takes `&mut`: another thread might read it at the same time, on another
//! stream. Lend it with `&mut buffer`.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    host: &[f32],
    buffer: &DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.on(stream).upload(host, buffer)
}

fn main() {}
