//! Nodes that the program adds.

use crate::entry::{self, Answer};
use crate::model::graph::node::{Node, Work};
use crate::model::graph::{Graph, find};
use crate::model::life::Life;
use cuscope_sys::*;
use std::collections::HashSet;
use std::sync::Arc;

/// Adds what `make` makes after nodes of the same graph, each named once.
pub(crate) fn add(
    to: *mut CUgraphNode,
    graph: CUgraph,
    dependencies: *const CUgraphNode,
    count: usize,
    make: impl FnOnce(&Graph) -> Answer<(Option<Arc<Life>>, Work)>,
) -> Answer {
    entry::wanted(to)?;
    let graph = find(graph)?;
    let (mut before, mut named) = (Vec::new(), HashSet::new());
    for i in 0..count {
        let one = entry::element(dependencies, i)?.addr();
        if !graph.has(one) || !named.insert(one) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        before.push(one);
    }
    let (life, work) = make(&graph)?;
    let handle = graph.add(Node::new(before, life, work));
    entry::write(to, std::ptr::without_provenance_mut(handle))
}
