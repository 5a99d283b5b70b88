//! A change is of a node that can have it.
//!
//! **Why:** The driver refuses the parameters of a fill for a node that launches a kernel. The program would find out
//! only where it runs. It is a part of `nodes-ordered`.
//!
//! **Mend:** Keep what `fill` gave, or find it with `try_into`. See `ui-tests/mended/node_of_other_kind.rs`.
//!
//! **Mistake** (E0308):

use cuscope::{Graph, Result, graph::KernelNode};

fn misuse(graph: &mut Graph<'_>, node: KernelNode) -> Result {
    graph.set_fill(node, 1_u32)
}

fn main() {}
