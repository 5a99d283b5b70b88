//! A graph that a scope replays is not timed before the scope has ended.
//!
//! **Why:** A replay borrows the memory that it uses, as a launch does, and the graph itself. A replay in an ordered
//! stream borrows them for the call, and the graph knows the streams that may still run it. This is `replay-names`.
//!
//! **Mend:** Time it after the scope. See `ui-tests/mended/graph_timed_in_flight.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{Graph, PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, graph: &mut Graph<'ctx>) -> Result {
    gpu.scope(|s| {
        s.on(stream).replay(graph, ())?;
        gpu.time_nodes(stream, graph, ()).map(drop)
    })
}

fn main() {}
