//! A buffer that a scope holds is read through what holds it, `&held`, so that the read is ordered.
//!
//! **Why:** The download has no order with the fill, since it does not go through what the scope holds. On another
//! stream the host would get values of before. It is a part of `scope-ordered`.
//!
//! **Mend:** Read `&held`. See `ui-tests/mended/read_while_held.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
    host: &mut [f32],
) -> Result {
    gpu.scope(|s| {
        s.on(stream).fill(&mut s.hold(buffer), 1.0)?;
        s.on(stream).download(&*buffer, host)
    })
}

fn main() {}
