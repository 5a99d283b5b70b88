//! A graph runs until its scope has waited: drop it after the scope.

use cuscope::{Graph, PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, graph: Graph<'ctx>) -> Result {
    gpu.scope(|s| {
        s.on(stream).replay(&graph, ())?;
        drop(graph);
        Ok(())
    })
}

fn main() {}
