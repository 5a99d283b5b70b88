//! The mend of `ui-tests/written_while_read.rs`. Hold the buffer and write it on a stream of the scope.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    mut buffer: DeviceBuffer<'ctx, f32>,
    host: &mut [f32],
) -> Result {
    gpu.scope(|s| {
        let mut held = s.hold(&mut buffer);
        s.on(stream).download(&held, host)?;
        s.on(stream).fill(&mut held, 1.0)
    })
}

fn main() {}
