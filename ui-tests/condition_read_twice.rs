//! One conditional node reads a condition, and takes it.
//!
//! **Why:** Kernels in the first node may set the number while it runs. What the second one reads would depend on the
//! order of the two, which nothing states. It is a part of `nodes-ordered`.
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
