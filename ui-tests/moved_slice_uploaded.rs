//! What is moved into the closure of a scope is dropped at its end, before the transfer is over: borrow it,
//! without `move`.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
    host: Vec<f32>,
) -> Result {
    gpu.scope(move |s| s.on(stream).upload(&host, &mut s.hold(buffer)))
}

fn main() {}
