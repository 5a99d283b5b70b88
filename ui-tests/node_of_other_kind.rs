//! A change is of a node that can have it.
//!
//! **Why:** The nodes of a built graph cannot race, before and after single nodes change. This is `nodes-ordered`.
//!
//! **Mend:** Keep what `fill` gave, or find it with `try_into`. See `ui-tests/mended/node_of_other_kind.rs`.
//!
//! **Mistake** (E0308):

use cuscope::{Graph, Result, graph::KernelNode};

fn misuse(graph: &mut Graph<'_>, node: KernelNode) -> Result {
    graph.set_fill(node, 1_u32)
}

fn main() {}
