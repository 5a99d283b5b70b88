//! A graph calls its functions whenever it is replayed, so they own what they use: move it in, or share it by `Arc`.

use cuscope::{Graph, PushedGuard, Result};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>) -> Result<Graph<'ctx>> {
    let mut count = 0;
    let (graph, _) = gpu.build_graph(|g| g.host_function(&[], || count += 1))?;
    Ok(graph)
}

fn main() {}
