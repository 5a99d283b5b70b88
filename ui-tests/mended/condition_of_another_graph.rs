//! The mend of `ui-tests/condition_of_another_graph.rs`. Read the condition in the graph that made it.

use cuscope::{PushedGuard, Result};

fn right(gpu: &PushedGuard<'_>) -> Result {
    gpu.build_graph(|outer| {
        let condition = outer.condition(1)?;
        outer.if_node(&[], condition, |_| Ok(()))
    })
    .map(drop)
}

fn main() {}
