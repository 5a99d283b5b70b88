//! One thread at a time asks a definition for graphs: send it, or a graph of it to each thread.

use cuscope::{Detached, graph::GraphDefinition};

fn shared<T: Sync>(_: &T) {}

fn misuse(definition: Detached<GraphDefinition<'static>>) {
    shared(&definition);
}

fn main() {}
