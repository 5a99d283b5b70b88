//! A definition is not ready to run: instantiate it.

use cuscope::{PushedGuard, Result, Stream, graph::GraphDefinition};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    definition: &GraphDefinition<'ctx>,
) -> Result {
    gpu.on(stream).replay(definition, ())
}

fn main() {}
