//! The mend of `ui-tests/held_twice.rs`. Use the one on all streams.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    streams: &[Stream<'ctx>; 2],
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        let mut held = s.hold(buffer);
        s.on(&streams[0]).fill(&mut held, 1.0)?;
        s.on(&streams[1]).fill(&mut held, 2.0)
    })
}

fn main() {}
