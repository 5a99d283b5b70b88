//! The mend of `ui-tests/definition_shared_between_threads.rs`. Send the definition, or send a graph of it to each
//! thread.

use cuscope::{Detached, graph::GraphDefinition};

fn sent<T: Send>(_: T) {}

fn right(definition: Detached<GraphDefinition<'static>>) {
    sent(definition);
}

fn main() {}
