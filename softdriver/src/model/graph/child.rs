//! Graphs as nodes of others.

use crate::entry::Answer;
use crate::model::graph::HANDLES;
use crate::model::graph::node::{Node, Work};
use crate::model::graph::{Graph, find};
use cuscope_sys::*;
use std::sync::Arc;

/// The graph of a child graph node: a copy that the node owns.
pub(crate) struct Child {
    pub(crate) handle: usize,
    pub(crate) graph: Arc<Graph>,
}

impl Child {
    /// Of a copy of a graph, which allocates nothing.
    pub(crate) fn new(of: &Graph) -> Self {
        // Graphs that allocate were refused before.
        let copied = of.copied().unwrap_or_default();
        let (handle, graph) = Graph { child: true, ..copied }.insert();
        Self { handle, graph }
    }

    /// Of a copy of the graph with a handle, for a node of another graph.
    pub(crate) fn of(graph: &Graph, handle: CUgraph) -> Answer<Self> {
        let child = find(handle)?;
        if child.child || child.is_single() {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        // The real driver dies of a graph in itself.
        if std::ptr::eq(&raw const *child, graph) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        Ok(Self::new(&child))
    }

    /// The graph.
    pub(crate) fn graph(&self) -> &Graph {
        &self.graph
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _graph = HANDLES.remove(self.handle);
    }
}

/// Nodes with those of child graphs among them, in the place of each child graph node, which becomes the end
/// of these.
pub(crate) fn flat(nodes: Vec<Node>) -> Vec<Node> {
    let mut all = Vec::new();
    for mut node in nodes {
        let work = node.work.clone();
        let Work::Child(child) = &*work else {
            all.push(node);
            continue;
        };
        let mut inner = flat(child.graph.nodes());
        let ends: Vec<_> = inner.iter().map(|one| one.handle).collect();
        for one in &mut inner {
            one.before.extend(&node.before);
        }
        all.extend(inner);
        node.before.extend(&ends);
        node.work = Arc::new(Work::Join(ends));
        all.push(node);
    }
    all
}
