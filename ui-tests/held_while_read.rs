//! A buffer that a scope reads as it is cannot be held by it as well.
//!
//! **Why:** The download was enqueued with the buffer as it is, without an order. The fill that follows could
//! overtake it on another stream, and the host would get ones. It is a part of `scope-ordered`.
//!
//! **Mend:** Hold it before, and read `&held`. See `ui-tests/mended/held_while_read.rs`.
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
        s.on(stream).download(&*buffer, host)?;
        s.on(stream).fill(&mut s.hold(buffer), 1.0)
    })
}

fn main() {}
