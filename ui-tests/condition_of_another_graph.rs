//! A condition belongs to the graph that is being built.
//!
//! **Why:** Each graph has its own. It is a part of `nodes-ordered`.
//!
//! **Mend:** Read the condition in the graph that made it. See `ui-tests/mended/condition_of_another_graph.rs`.
//!
//! **Mistake** (E0521):

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
