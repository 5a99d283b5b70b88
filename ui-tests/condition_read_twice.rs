//! One conditional node reads a condition, and takes it.

use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>) -> Result {
    gpu.build_graph(|g| {
        let condition = g.condition(1)?;
        g.if_node(&[], condition, |_| Ok(()))?;
        g.while_node(&[], condition, |_| Ok(()))
    })
    .map(drop)
}

fn main() {}
