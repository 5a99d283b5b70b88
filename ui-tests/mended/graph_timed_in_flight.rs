//! The mend of `ui-tests/graph_timed_in_flight.rs`. Time it after the scope.

use cuscope::{Graph, PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, graph: &mut Graph<'ctx>) -> Result {
    gpu.scope(|s| {
        s.on(stream).replay(graph, ())
    })?;
    gpu.time_nodes(stream, graph, ()).map(drop)
}

fn main() {}
