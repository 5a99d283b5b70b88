//! The mend of `ui-tests/read_while_held.rs`. Read `&held`.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
    host: &mut [f32],
) -> Result {
    gpu.scope(|s| {
        let mut held = s.hold(buffer);
        s.on(stream).fill(&mut held, 1.0)?;
        s.on(stream).download(&held, host)
    })
}

fn main() {}
