//! What a node allocates is for the nodes of its graph.
//!
//! **Why:** The memory exists from the node that allocates it to the node that frees it, in each replay anew. Outside
//! of the graph its address names nothing, or the memory of something else. It is a part of `nodes-ordered`.
//!
//! **Mend:** Copy it to a buffer that a replay names. See `ui-tests/mended/graph_memory_leaves_builder.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{PushedGuard, Result};

fn misuse(gpu: &PushedGuard<'_>) -> Result {
    let (_graph, _held) = gpu.build_graph(|g| g.alloc::<f32>(&[], 64))?;
    Ok(())
}

fn main() {}
