//! The mend of `ui-tests/condition_read_twice.rs`. Make a condition for each node.

use cuscope::{PushedGuard, Result};

fn right(gpu: &PushedGuard<'_>) -> Result {
    gpu.build_graph(|g| {
        let condition = g.condition(1)?;
        g.if_node(&[], condition, |_| Ok(()))?;
        let again = g.condition(1)?;
        g.while_node(&[], again, |_| Ok(()))
    })
    .map(drop)
}

fn main() {}
