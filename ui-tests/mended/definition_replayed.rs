//! The mend of `ui-tests/definition_replayed.rs`. Instantiate it.

use cuscope::{PushedGuard, Result, Stream, graph::GraphDefinition};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    definition: &GraphDefinition<'ctx>,
) -> Result {
    let graph = definition.instantiate(gpu)?;
    gpu.on(stream).replay(&graph, ())
}

fn main() {}
