//! A blocking operation does not write what a scope around it reads. Hold the buffer and write it on a
//! stream of the scope.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    mut buffer: DeviceBuffer<'ctx, f32>,
    host: &mut [f32],
) -> Result {
    gpu.scope(|s| {
        s.on(stream).download(&buffer, host)?;
        gpu.on(stream).fill(&mut buffer, 1.0)
    })
}

fn main() {}
