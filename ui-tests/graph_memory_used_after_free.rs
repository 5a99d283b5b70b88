//! A free takes the memory.
//!
//! **Why:** The nodes of a built graph cannot race, before and after single nodes change. This is `nodes-ordered`.
//!
//! **Mend:** Add what uses it before. See `ui-tests/mended/graph_memory_used_after_free.rs`.
//!
//! **Mistake** (E0382):

use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>) -> Result {
    gpu.build_graph(|g| {
        let (mut memory, _) = g.alloc::<u32>(&[], 64)?;
        g.free(&[], memory)?;
        g.fill(&[], &mut memory, 1)
    })
    .map(drop)
}

fn main() {}
