//! A change is of a node that can have it: keep what `fill` gave, or find it with `try_into`.

use cuscope::{Graph, Result, graph::KernelNode};

fn misuse(graph: &mut Graph<'_>, node: KernelNode) -> Result {
    graph.set_fill(node, 1_u32)
}

fn main() {}
