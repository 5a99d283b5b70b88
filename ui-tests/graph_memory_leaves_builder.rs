//! What a node allocates is for the nodes of its graph: copy it to a buffer that a replay names.

use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>) -> Result {
    let (_graph, _held) = gpu.build_graph(|g| g.alloc::<f32>(&[], 64))?;
    Ok(())
}

fn main() {}
