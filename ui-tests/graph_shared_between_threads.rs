//! One thread at a time launches a graph: send it, or capture one for each thread.

use cuscope::{Detached, Graph};

fn shared<T: Sync>(_: &T) {}

fn misuse(graph: Detached<Graph<'static>>) {
    shared(&graph);
}

fn main() {}
