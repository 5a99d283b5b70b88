//! A graph runs until its scope has waited.
//!
//! **Why:** A replay borrows the memory that it uses, as a launch does, and the graph itself. A replay in an ordered
//! stream borrows them for the call, and the graph knows the streams that may still run it. This is `replay-names`.
//!
//! **Mend:** Drop it after the scope. See `ui-tests/mended/graph_dropped_in_flight.rs`.
//!
//! **Mistake** (E0505, E0597):

use cuscope::{Graph, PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, graph: Graph<'ctx>) -> Result {
    gpu.scope(|s| {
        s.on(stream).replay(&graph, ())?;
        drop(graph);
        Ok(())
    })
}

fn main() {}
