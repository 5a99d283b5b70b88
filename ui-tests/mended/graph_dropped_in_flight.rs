//! The mend of `ui-tests/graph_dropped_in_flight.rs`. Drop it after the scope.

use cuscope::{Graph, PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, graph: Graph<'ctx>) -> Result {
    gpu.scope(|s| {
        s.on(stream).replay(&graph, ())
    })?;
    drop(graph);
    Ok(())
}

fn main() {}
