//! A buffer is not dropped while a scope holds it: that would free it under the work. Drop it after the
//! scope.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    mut buffer: DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        s.on(stream).fill(&mut s.hold(&mut buffer), 1.0)?;
        drop(buffer);
        Ok(())
    })
}

fn main() {}
