//! A graph that a scope replays alone is not replayed again: the second replay would wait for the first.

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
