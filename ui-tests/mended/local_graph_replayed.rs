//! The mend of `ui-tests/local_graph_replayed.rs`. Capture before the scope.

use cuscope::{PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, run: &Stream<'ctx>, spare: &mut Stream<'ctx>) -> Result {
    let graph = gpu.capture(spare, |_| Ok(()))?;
    gpu.scope(|s| {
        s.on(run).replay(&graph, ())
    })
}

fn main() {}
