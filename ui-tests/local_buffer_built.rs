//! What a builder holds outlives its closure: make the buffer outside, or take `g.scratch`.

use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>) -> Result {
    gpu.build_graph(|g| {
        let mut buffer = gpu.alloc::<u32>(64)?;
        g.fill(&[], &mut g.hold(&mut buffer), 1)
    })
    .map(drop)
}

fn main() {}
