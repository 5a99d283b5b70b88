//! A blocking operation does not write what a scope around it reads.
//!
//! **Why:** The blocking fill waits for nothing of the scope, and overwrites what the download is reading. It is a
//! part of `scope-ordered`.
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
