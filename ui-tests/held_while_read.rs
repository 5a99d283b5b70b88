//! A buffer that a scope reads as it is cannot be held by it as well: hold it before, and read
//! `&held`.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
    host: &mut [f32],
) -> Result {
    gpu.scope(|s| {
        s.on(stream).download(&*buffer, host)?;
        s.on(stream).fill(&mut s.hold(buffer), 1.0)
    })
}

fn main() {}
