//! The mend of `ui-tests/graph_memory_used_after_free.rs`. Add what uses it before.

use cuscope::{PushedGuard, Result};

fn right(gpu: &PushedGuard<'_>) -> Result {
    gpu.build_graph(|g| {
        let (mut memory, allocated) = g.alloc::<u32>(&[], 64)?;
        let filled = g.fill(&[allocated.into()], &mut memory, 1)?;
        g.free(&[filled.into()], memory)
    })
    .map(drop)
}

fn main() {}
