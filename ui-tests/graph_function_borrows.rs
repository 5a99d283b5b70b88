//! A graph calls its functions whenever it is replayed, so they own what they use.
//!
//! **Why:** The graph is returned, and the variable is gone. A replay would call the function with a pointer into a
//! stack frame that other calls use now. It is a part of `graph-owns`.
//!
//! **Mend:** Move it in, or share it by an `Arc`. See `ui-tests/mended/graph_function_borrows.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{Graph, PushedGuard, Result};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>) -> Result<Graph<'ctx>> {
    let mut count = 0;
    let (graph, _) = gpu.build_graph(|g| g.host_function(&[], || count += 1))?;
    Ok(graph)
}

fn main() {}
