//! A definition is not ready to run.
//!
//! **Why:** The driver launches executable graphs alone. A definition is a list of nodes that may still change, and
//! its handle is of another type. It is a part of `replay-names`.
//!
//! **Mend:** Instantiate it. See `ui-tests/mended/definition_replayed.rs`.
//!
//! **Mistake** (E0308):

use cuscope::{PushedGuard, Result, Stream, graph::GraphDefinition};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    definition: &GraphDefinition<'ctx>,
) -> Result {
    gpu.on(stream).replay(definition, ())
}

fn main() {}
