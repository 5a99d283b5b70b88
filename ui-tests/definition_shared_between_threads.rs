//! One thread at a time asks a definition for graphs.
//!
//! **Why:** The manual of CUDA says that graph objects are not safe for several threads. Two instantiations at the
//! same time would use the same lists of the driver. It is a part of `replay-names`.
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
