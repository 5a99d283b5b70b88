//! A buffer that a scope reads as it is cannot be held by it as well.
//!
//! **Why:** If two streams of a scope use the same memory and one of them writes it, the two uses run one after the
//! other. This covers memory that the operations name. This is `scope-ordered`.
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
