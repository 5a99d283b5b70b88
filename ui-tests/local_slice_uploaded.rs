//! Host memory that is transferred outlives the closure of the scope, as the transfer does: declare it
//! outside.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        let host = vec![1.0; 64];
        s.on(stream).upload(&host, &mut s.hold(buffer))
    })
}

fn main() {}
