//! One conditional node reads a condition, and takes it.
//!
//! **Why:** The nodes of a built graph cannot race, before and after single nodes change. This is `nodes-ordered`.
//!
//! **Mend:** Make a condition for each node. See `ui-tests/mended/condition_read_twice.rs`.
//!
//! **Mistake** (E0382):

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
