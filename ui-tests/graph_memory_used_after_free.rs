//! A free takes the memory.
//!
//! **Why:** At a replay the memory may go to another allocation as soon as the free has run. The fill would write
//! over that. It is a part of `nodes-ordered`.
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
