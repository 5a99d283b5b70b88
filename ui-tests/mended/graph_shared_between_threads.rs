//! The mend of `ui-tests/graph_shared_between_threads.rs`. Send it, or capture one for each thread.

use cuscope::{Detached, Graph};

fn sent<T: Send>(_: T) {}

fn right(graph: Detached<Graph<'static>>) {
    sent(graph);
}

fn main() {}
