//! No host memory in a graph, which would use it at each replay.
//!
//! **Why:** The graph may be replayed when the slice is long gone. The copy would read whatever lies at its address
//! then. It is a part of `graph-owns`.
//!
//! **Mend:** Upload before a replay, and download after it. See `ui-tests/mended/host_memory_in_capture.rs`.
//!
//! **Mistake** (E0599):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &mut Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
    host: &[f32],
) -> Result {
    gpu.capture(stream, |c| c.stream().upload(host, &mut c.hold(buffer))).map(drop)
}

fn main() {}
