//! Whatever writes a buffer takes `&mut`.
//!
//! **Why:** Another thread might read it at the same time, on another stream. It is a part of
//! `host-memory-borrowed`.
//!
//! **Mend:** Lend it with `&mut buffer`. See `ui-tests/mended/upload_to_shared_buffer.rs`.
//!
//! **Mistake** (E0308):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    host: &[f32],
    buffer: &DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.on(stream).upload(host, buffer)
}

fn main() {}
