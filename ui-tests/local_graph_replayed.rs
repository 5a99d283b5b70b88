//! A graph that is replayed in a scope outlives its closure, as the work does: capture before the scope.

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, run: &Stream<'ctx>, spare: &mut Stream<'ctx>) -> Result {
    gpu.scope(|s| {
        let graph = gpu.capture(spare, |_| Ok(()))?;
        s.on(run).replay(&graph, ())
    })
}

fn main() {}
