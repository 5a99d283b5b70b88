//! One thread at a time asks a definition for graphs.
//!
//! **Why:** A replay borrows the memory that it uses, as a launch does, and the graph itself. A replay in an ordered
//! stream borrows them for the call, and the graph knows the streams that may still run it. This is `replay-names`.
//!
//! **Mend:** Send the definition, or send a graph of it to each thread. See
//! `ui-tests/mended/definition_shared_between_threads.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Detached, graph::GraphDefinition};

fn shared<T: Sync>(_: &T) {}

fn misuse(definition: Detached<GraphDefinition<'static>>) {
    shared(&definition);
}

fn main() {}
