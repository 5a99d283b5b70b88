//! The mend of `ui-tests/graph_function_borrows.rs`. Move it in, or share it by an `Arc`.

use cuscope::{Graph, PushedGuard, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

fn right<'ctx>(gpu: &PushedGuard<'ctx>) -> Result<Graph<'ctx>> {
    let count = Arc::new(AtomicU32::new(0));
    let (graph, _) = gpu.build_graph(|g| g.host_function(&[], move || _ = count.fetch_add(1, Ordering::Relaxed)))?;
    Ok(graph)
}

fn main() {}
