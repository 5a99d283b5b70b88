//! The mend of `ui-tests/local_buffer_built.rs`. Make the buffer outside, or take `g.scratch`.

use cuscope::{PushedGuard, Result};

fn right(gpu: &PushedGuard<'_>) -> Result {
    let mut buffer = gpu.alloc::<u32>(64)?;
    gpu.build_graph(|g| {
        g.fill(&[], &mut g.hold(&mut buffer), 1)
    })
    .map(drop)
}

fn main() {}
