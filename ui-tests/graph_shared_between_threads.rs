//! One thread at a time launches a graph.
//!
//! **Why:** The manual of CUDA says that graph objects are not safe for several threads. Two launches at the same
//! time would change the same state of the driver. It is a part of `replay-names`.
//!
//! **Mend:** Send it, or capture one for each thread. See `ui-tests/mended/graph_shared_between_threads.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Detached, Graph};

fn shared<T: Sync>(_: &T) {}

fn misuse(graph: Detached<Graph<'static>>) {
    shared(&graph);
}

fn main() {}
