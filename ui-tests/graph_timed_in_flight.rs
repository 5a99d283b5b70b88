//! A graph that a scope replays is not timed before the scope has ended.

use cuscope::{Graph, PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, graph: &mut Graph<'ctx>) -> Result {
    gpu.scope(|s| {
        s.on(stream).replay(graph, ())?;
        gpu.time_nodes(stream, graph, ()).map(drop)
    })
}

fn main() {}
