//! A free takes the memory: add what uses it before.

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
