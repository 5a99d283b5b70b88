//! The mend of `ui-tests/graph_changed_in_flight.rs`. Change it after the scope.

use cuscope::{Graph, PushedGuard, Result, Stream, graph::MemsetNode};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    graph: &mut Graph<'ctx>,
    node: MemsetNode,
) -> Result {
    gpu.scope(|s| {
        s.on(stream).replay(graph, ())
    })?;
    graph.set_fill(node, 1_u32)
}

fn main() {}
