//! What a scope holds is ordered by the scope.
//!
//! **Why:** The replay would start at once, beside the operations that the scope has enqueued on the same memory. It
//! is a part of `replay-names`.
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
