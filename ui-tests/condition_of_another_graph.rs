//! A condition belongs to the graph that is being built: each graph has its own.

use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>) -> Result {
    gpu.build_graph(|outer| {
        let condition = outer.condition(1)?;
        let (_graph, _node) = gpu.build_graph(|g| g.if_node(&[], condition, |_| Ok(())))?;
        Ok(())
    })
    .map(drop)
}

fn main() {}
