//! The mend of `ui-tests/element_types_differ.rs`. Convert the elements on the host, or give the buffer their type.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    host: &[f32],
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.on(stream).upload(host, buffer)
}

fn main() {}
