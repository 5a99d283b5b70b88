//! What a builder holds outlives its closure.
//!
//! **Why:** The nodes have the address of the buffer. It is freed when the closure returns, and each replay would
//! write into memory of something else. It is a part of `graph-owns`.
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
