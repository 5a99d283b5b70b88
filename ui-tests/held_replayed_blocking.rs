//! What a scope holds is ordered by the scope.
//!
//! **Why:** A replay borrows the memory that it uses, as a launch does, and the graph itself. A replay in an ordered
//! stream borrows them for the call, and the graph knows the streams that may still run it. This is `replay-names`.
//!
//! **Mend:** Replay on a stream of the scope. See `ui-tests/mended/held_replayed_blocking.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{DeviceBuffer, Graph, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    graph: &Graph<'ctx>,
    y: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        let mut y = s.hold(y);
        gpu.on(stream).replay(graph, &mut y)
    })
}

fn main() {}
