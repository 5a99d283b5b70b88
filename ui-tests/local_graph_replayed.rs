//! A graph that is replayed in a scope outlives its closure, as the work does.
//!
//! **Why:** The graph would be destroyed with the closure, and with it the memory and functions that its nodes are
//! using. It is a part of `replay-names`.
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
