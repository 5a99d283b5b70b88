//! A graph that a scope replays alone is not replayed again.
//!
//! **Why:** The second replay would wait for the first. It is a part of `replay-names`.
//!
//! **Mend:** Replay it by `replay`, which orders the two. See `ui-tests/mended/graph_replayed_alone_twice.rs`.
//!
//! **Mistake** (E0499):

use cuscope::{Graph, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    [first, second]: &[Stream<'ctx>; 2],
    graph: &mut Graph<'ctx>,
) -> Result {
    gpu.scope(|s| {
        s.on(first).replay_alone(graph, ())?;
        s.on(second).replay_alone(graph, ())
    })
}

fn main() {}
