//! The closure of a scope is not `async`: it enqueues, and `scope` waits. Await outside of it, or use an ordered stream.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(async |s| {
        s.on(stream).fill(&mut s.hold(x), 1.0)?;
        Ok(())
    })
}

fn main() {}
