//! A graph that a scope replays is not changed before the scope has ended.
//!
//! **Why:** The scope has given the replay memory for the nodes as they were. A change would let a later replay of
//! the same scope use other memory. It is a part of `nodes-ordered`.
//!
//! **Mend:** Change it after the scope. See `ui-tests/mended/graph_changed_in_flight.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{Graph, PushedGuard, Result, Stream, graph::MemsetNode};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    graph: &mut Graph<'ctx>,
    node: MemsetNode,
) -> Result {
    gpu.scope(|s| {
        s.on(stream).replay(graph, ())?;
        graph.set_fill(node, 1_u32)
    })
}

fn main() {}
