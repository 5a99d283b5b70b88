//! The mend of `ui-tests/host_read_in_flight.rs`. Read it afterwards, or stage it, `s.stage(&mut host)`, and ask for
//! it with `access`.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &DeviceBuffer<'ctx, f32>,
) -> Result<f32> {
    let mut host = [0.0; 64];
    gpu.scope(|s| {
        s.on(stream).download(buffer, &mut host)
    })?;
    Ok(host[0])
}

fn main() {}
