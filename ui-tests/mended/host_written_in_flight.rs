//! The mend of `ui-tests/host_written_in_flight.rs`. Stage what is to be written in between, `s.stage(&mut host)`,
//! and ask for it with `access`.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let mut host = [1.0; 64];
    gpu.scope(|s| {
        s.on(stream).upload(&host, &mut s.hold(buffer))
    })?;
    host[0] = 2.0;
    gpu.on(stream).upload(&host, buffer)
}

fn main() {}
