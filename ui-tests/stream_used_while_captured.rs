//! A stream that is captured is not asked, waited for or used.
//!
//! **Why:** That would spoil the capture, or never be run. It is a part of `captured-unused`.
//!
//! **Mend:** Use the capture's stream, or another stream. See `ui-tests/mended/stream_used_while_captured.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &mut Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, u32>,
) -> Result {
    gpu.capture(stream, |_| gpu.on(stream).zero(buffer)).map(drop)
}

fn main() {}
