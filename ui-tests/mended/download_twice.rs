//! The mend of `ui-tests/download_twice.rs`. Download to slices of their own, or stage the one, `s.stage(&mut
//! host)`, and read it with `access` in between.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffers: &[DeviceBuffer<'ctx, f32>],
    host: &mut [Vec<f32>],
) -> Result {
    gpu.scope(|s| {
        for (buffer, host) in buffers.iter().zip(host) {
            s.on(stream).download(buffer, host)?;
        }
        Ok(())
    })
}

fn main() {}
