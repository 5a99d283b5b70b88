//! One thread at a time launches a graph.
//!
//! **Why:** A replay borrows the memory that it uses, as a launch does, and the graph itself. A replay in an ordered
//! stream borrows them for the call, and the graph knows the streams that may still run it. This is `replay-names`.
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
