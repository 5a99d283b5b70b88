//! The mend of `ui-tests/local_slice_uploaded.rs`. Declare it above the scope.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let host = vec![1.0; 64];
    gpu.scope(|s| {
        s.on(stream).upload(&host, &mut s.hold(buffer))
    })
}

fn main() {}
