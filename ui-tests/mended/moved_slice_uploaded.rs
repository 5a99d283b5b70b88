//! The mend of `ui-tests/moved_slice_uploaded.rs`. Borrow it, without `move`.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
    host: Vec<f32>,
) -> Result {
    gpu.scope(|s| s.on(stream).upload(&host, &mut s.hold(buffer)))
}

fn main() {}
