//! What a replay in a scope names stays lent until the scope has waited.
//!
//! **Why:** The replay may still be writing. The download is on a stream of its own order, and would copy values from
//! the middle of the work. It is a part of `replay-names`.
//!
//! **Mend:** Hold it, and download `&held`. See `ui-tests/mended/replay_named_while_in_flight.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{DeviceBuffer, Graph, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    graph: &Graph<'ctx>,
    y: &mut DeviceBuffer<'ctx, f32>,
    host: &mut [f32],
) -> Result {
    gpu.scope(|s| {
        s.on(stream).replay(graph, &mut *y)?;
        gpu.on(stream).download(y, host)
    })
}

fn main() {}
