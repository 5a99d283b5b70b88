//! A buffer is filled from elements of its own type: others have another size, and the copy would run
//! past the end (F64) or leave a part as it was.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    host: &[f64],
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.on(stream).upload(host, buffer)
}

fn main() {}
