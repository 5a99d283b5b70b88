//! A graph that is replayed in a scope outlives its closure, as the work does.
//!
//! **Why:** A replay borrows the memory that it uses, as a launch does, and the graph itself. A replay in an ordered
//! stream borrows them for the call, and the graph knows the streams that may still run it. This is `replay-names`.
//!
//! **Mend:** Capture before the scope. See `ui-tests/mended/local_graph_replayed.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, run: &Stream<'ctx>, spare: &mut Stream<'ctx>) -> Result {
    gpu.scope(|s| {
        let graph = gpu.capture(spare, |_| Ok(()))?;
        s.on(run).replay(&graph, ())
    })
}

fn main() {}
