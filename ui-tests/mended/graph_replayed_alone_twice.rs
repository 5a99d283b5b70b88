//! The mend of `ui-tests/graph_replayed_alone_twice.rs`. Replay it by `replay`, which orders the two.

use cuscope::{Graph, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    [first, second]: &[Stream<'ctx>; 2],
    graph: &mut Graph<'ctx>,
) -> Result {
    gpu.scope(|s| {
        s.on(first).replay(graph, ())?;
        s.on(second).replay(graph, ())
    })
}

fn main() {}
