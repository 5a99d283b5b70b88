//! A graph that a scope replays is not changed before the scope has ended.

use cuscope::{Graph, PushedGuard, Result, Stream, graph::MemsetNode};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    graph: &mut Graph<'ctx>,
    node: MemsetNode,
) -> Result {
    gpu.scope(|s| {
        s.on(stream).replay(graph, ())?;
        graph.set_fill(node, 1_u32)
    })
}

fn main() {}
