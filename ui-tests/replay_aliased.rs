//! What a graph writes is named once, exclusively.
//!
//! **Why:** The graph writes that buffer. The program would lend it as unchanging at the same time, and another part
//! could read it meanwhile. It is a part of `replay-names`.
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
