//! The mend of `ui-tests/node_of_other_kind.rs`. Keep what `fill` gave, or find it with `try_into`.

use cuscope::{Graph, Result, graph::MemsetNode};

fn right(graph: &mut Graph<'_>, node: MemsetNode) -> Result {
    graph.set_fill(node, 1_u32)
}

fn main() {}
