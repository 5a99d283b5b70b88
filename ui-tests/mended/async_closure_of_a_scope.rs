//! The mend of `ui-tests/async_closure_of_a_scope.rs`. Await outside of it, or use an ordered stream.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        s.on(stream).fill(&mut s.hold(x), 1.0)?;
        Ok(())
    })
}

fn main() {}
