//! A graph that a scope replays is not timed before the scope has ended.
//!
//! **Why:** The timing launches a copy of the graph, with the same memory as the replay that is still running. The
//! two would race. It is a part of `replay-names`.
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
