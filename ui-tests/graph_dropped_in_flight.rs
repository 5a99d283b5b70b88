//! A graph runs until its scope has waited.
//!
//! **Why:** The drop frees what the graph owns: its scratch memory and its host functions. The running nodes would
//! use both. It is a part of `replay-names`.
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
