//! A blocking operation does not write what a scope around it reads.
//!
//! **Why:** If two streams of a scope use the same memory and one of them writes it, the two uses run one after the
//! other. This covers memory that the operations name. This is `scope-ordered`.
//!
//! **Mend:** Hold the buffer and write it on a stream of the scope. See `ui-tests/mended/written_while_read.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    mut buffer: DeviceBuffer<'ctx, f32>,
    host: &mut [f32],
) -> Result {
    gpu.scope(|s| {
        s.on(stream).download(&buffer, host)?;
        gpu.on(stream).fill(&mut buffer, 1.0)
    })
}

fn main() {}
