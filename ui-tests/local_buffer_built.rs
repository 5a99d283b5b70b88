//! What a builder holds outlives its closure.
//!
//! **Why:** A graph replays on memory and code that exist: it owns them. It contains no host memory but the numbers
//! that its nodes wait for and write. This is `graph-owns`.
//!
//! **Mend:** Make the buffer outside, or take `g.scratch`. See `ui-tests/mended/local_buffer_built.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>) -> Result {
    gpu.build_graph(|g| {
        let mut buffer = gpu.alloc::<u32>(64)?;
        g.fill(&[], &mut g.hold(&mut buffer), 1)
    })
    .map(drop)
}

fn main() {}
