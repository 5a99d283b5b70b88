//! A definition is not ready to run.
//!
//! **Why:** A replay borrows the memory that it uses, as a launch does, and the graph itself. A replay in an ordered
//! stream borrows them for the call, and the graph knows the streams that may still run it. This is `replay-names`.
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
