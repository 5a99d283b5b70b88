//! What a graph writes is named once, exclusively.
//!
//! **Why:** A replay borrows the memory that it uses, as a launch does, and the graph itself. A replay in an ordered
//! stream borrows them for the call, and the graph knows the streams that may still run it. This is `replay-names`.
//!
//! **Mend:** Capture again for a graph that reads it too. See `ui-tests/mended/replay_aliased.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{DeviceBuffer, Graph, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    graph: &Graph<'ctx>,
    mut y: DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.on(stream).replay(graph, (&y, &mut y))
}

fn main() {}
