//! Graphs as nodes of others.
#![allow(unsafe_code, reason = "exported functions")]

use super::add::add;
use super::difference::pairs;
use super::query::node;
use super::{Graph, Node, Work, find, find_exec, graph_of, params};
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use cuscope_sys::*;
use std::sync::Arc;

/// The graph of a child graph node: a copy that the node owns.
pub(crate) struct Child {
    handle: usize,
    graph: Arc<Graph>,
}

impl Child {
    /// Of a copy of a graph, which allocates nothing.
    pub(super) fn new(of: &Graph) -> Self {
        // What allocates was refused before.
        let copied = of.copied().unwrap_or_default();
        let (handle, graph) = Graph { child: true, ..copied }.insert();
        Self { handle, graph }
    }

    /// Of a copy of the graph with a handle, for a node of another graph.
    pub(super) fn of(graph: &Graph, handle: CUgraph) -> Answer<Self> {
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
    pub(super) fn graph(&self) -> &Graph {
        &self.graph
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _graph = state().graphs.remove(self.handle);
    }
}

/// Nodes with those of child graphs among them, in the place of each child graph node, which becomes the end
/// of these.
pub(super) fn flat(nodes: Vec<Node>) -> Vec<Node> {
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

/// Has a child graph node do what another graph does, of which it gets a copy; what was instantiated stays as it is (F573).
pub(super) fn set(handle: CUgraphNode, other: CUgraph) -> Answer {
    let of = graph_of(handle.addr())?;
    let is_child = |node: &Node| matches!(*node.work, Work::Child(_));
    params::set(handle, is_child, || {
        let other = find(other)?;
        if of.allocates() || other.is_single() {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        Ok((None, Work::Child(Child::new(&other))))
    })
}

/// The same in an instantiated graph, from its next launch on: another graph of the same nodes and edges (F573).
pub(super) fn set_in_exec(exec: CUgraphExec, handle: CUgraphNode, other: CUgraph) -> Answer {
    let (exec, other) = (find_exec(exec)?, find(other)?);
    let join = exec.node(node(handle)?.handle).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let Work::Join(inner) = &*join.work else { return Err(CUDA_ERROR_INVALID_VALUE) };
    let now: Vec<_> = inner.iter().filter_map(|&one| exec.node(one)).collect();
    let (now, new) = ([now], [flat(other.nodes())]);
    let pairs = pairs(&now, &new).map_err(|_| CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE)?;
    pairs
        .into_iter()
        .try_for_each(|(old, new)| exec.change(old.handle, |node| *node = node.with_work_of(new)))
}

driver! {
    /// Adds the nodes of another graph, copied. A graph that allocates is NOT_SUPPORTED, and so is that of a
    /// child graph node (F212).
    fn cuGraphAddChildGraphNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        childGraph: CUgraph,
    ) {
        add(phGraphNode, hGraph, dependencies, numDependencies, |graph| {
            Ok((None, Work::Child(Child::of(graph, childGraph)?)))
        })
    }
    /// The graph of a child graph node, which belongs to the node.
    fn cuGraphChildGraphNodeGetGraph(hNode: CUgraphNode, phGraph: *mut CUgraph) {
        match &*node(hNode)?.work {
            Work::Child(child) => {
                entry::write(phGraph, std::ptr::without_provenance_mut(child.handle))
            }
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    /// Has a child graph node of an instantiated graph do what another graph does, which has the same
    /// nodes.
    fn cuGraphExecChildGraphNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        childGraph: CUgraph,
    ) {
        set_in_exec(hGraphExec, hNode, childGraph)
    }
}
