//! Changes of graphs, and copies of them.
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry::Answer;
use crate::model::graph::node::{Node, Work};
use crate::model::graph::query::{PLAIN, is_plain, node};
use crate::model::graph::{GRAPHS, Graph, find, graph_of};
use crate::{entry, sync};
use cuscope_sys::*;

/// Whether an edge with this data can be between nodes of these kinds: early starts are between kernels (F565).
fn can_be(edge: CUgraphEdgeData, from: &Node, to: &Node) -> bool {
    is_plain(edge) || is_early(edge) && from.is_kernel() && to.is_kernel()
}

/// Whether an edge lets a kernel start early: from the port of triggers, or that of starts.
pub(crate) fn is_early(edge: CUgraphEdgeData) -> bool {
    matches!((edge.from_port, edge.r#type), (1, 1) | (2, 0 | 1))
        && (edge.to_port, edge.reserved) == (0, [0; 5])
}

/// The edges, each between nodes of the graph; INVALID_VALUE otherwise.
fn pairs(
    graph: &Graph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    data: *const CUgraphEdgeData,
    count: usize,
) -> Answer<Vec<(usize, usize, CUgraphEdgeData)>> {
    let mut pairs = Vec::new();
    for i in 0..count {
        let pair = (entry::element(from, i)?.addr(), entry::element(to, i)?.addr());
        let edge = if data.is_null() { PLAIN } else { entry::element(data, i)? };
        let find = |handle| graph.with_node(handle, |node| node.clone());
        if !can_be(edge, &find(pair.0)?, &find(pair.1)?) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        pairs.push((pair.0, pair.1, edge));
    }
    Ok(pairs)
}

/// Changes what nodes depend on, one edge after the other, up to the first that cannot be (F191).
fn change(
    graph: CUgraph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    data: *const CUgraphEdgeData,
    count: usize,
    one: impl Fn(&mut Node, usize, CUgraphEdgeData) -> bool,
) -> Answer {
    let graph = find(graph)?;
    for (from, to, edge) in pairs(&graph, from, to, data, count)? {
        if from == to || !graph.with_node(to, |node| one(node, from, edge))? {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
    }
    Ok(())
}

/// Adds an edge, unless it is there.
fn add(node: &mut Node, from: usize, edge: CUgraphEdgeData) -> bool {
    let new = !node.before.contains(&from);
    if new {
        node.before.push(from);
        if !is_plain(edge) {
            node.data.insert(from, edge);
        }
    }
    new
}

/// Makes one node depend on another, with the data of the edge, if there is some.
pub(super) fn add_edge(
    graph: CUgraph,
    from: CUgraphNode,
    to: CUgraphNode,
    data: *const CUgraphEdgeData,
) -> Answer {
    change(graph, &raw const from, &raw const to, data, 1, add)
}

/// Removes an edge that is there, with this data, or whichever it has.
fn remove(node: &mut Node, from: usize, edge: CUgraphEdgeData, any: bool) -> bool {
    let count = node.before.len();
    if any || node.edge_from(from) == edge {
        node.before.retain(|&one| one != from);
        node.data.remove(&from);
    }
    node.before.len() < count
}

/// Removes edges, but of a graph that allocates (F213).
fn remove_from(
    graph: CUgraph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    data: *const CUgraphEdgeData,
    count: usize,
) -> Answer {
    if find(graph).is_ok_and(|graph| graph.allocates()) {
        return Err(CUDA_ERROR_NOT_SUPPORTED);
    }
    let any = data.is_null();
    change(graph, from, to, data, count, |node, from, edge| remove(node, from, edge, any))
}

driver! {
    /// Makes nodes depend on others. A cycle is found when the graph is instantiated (F191).
    fn cuGraphAddDependencies(
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        numDependencies: usize,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE, host_fn, after_fault] {
        change(hGraph, from, to, std::ptr::null(), numDependencies, add)
    }
    /// The same; edges between kernels can do more than order, which is not modelled.
    fn cuGraphAddDependencies_v2(
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        edgeData: *const CUgraphEdgeData,
        numDependencies: usize,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE, host_fn, after_fault] {
        change(hGraph, from, to, edgeData, numDependencies, add)
    }
    /// Removes edges.
    fn cuGraphRemoveDependencies(
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        numDependencies: usize,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE, host_fn, after_fault] {
        remove_from(hGraph, from, to, std::ptr::null(), numDependencies)
    }
    /// The same.
    fn cuGraphRemoveDependencies_v2(
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        edgeData: *const CUgraphEdgeData,
        numDependencies: usize,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE, host_fn, after_fault] {
        remove_from(hGraph, from, to, edgeData, numDependencies)
    }
    /// Takes a node out of its graph, with its edges; not out of one that a capture adds to (F192).
    fn cuGraphDestroyNode(hNode: CUgraphNode) [after_fault] {
        let node = node(hNode)?;
        let graph = graph_of(node.handle)?;
        if graph.captured() {
            return Err(CUDA_ERROR_ILLEGAL_STATE);
        }
        if matches!(*node.work, Work::Alloc(_) | Work::Free(_)) {
            return Err(CUDA_ERROR_NOT_SUPPORTED); // F213
        }
        sync::lock(&GRAPHS).remove(&node.handle);
        let nodes = &mut sync::lock(&graph.inner).nodes;
        nodes.remove(&node.handle);
        for one in nodes.values_mut() {
            one.before.retain(|&before| before != node.handle);
            one.data.remove(&node.handle);
        }
        Ok(())
    }
    /// Copies a graph; its nodes are new ones.
    fn cuGraphClone(phGraphClone: *mut CUgraph, originalGraph: CUgraph) [after_fault] {
        entry::wanted(phGraphClone)?;
        let (handle, _) = find(originalGraph)?.copied()?.insert();
        entry::write(phGraphClone, std::ptr::without_provenance_mut(handle))
    }
    /// The copy of a node in a copy of its graph; not in a copy of that (F193).
    fn cuGraphNodeFindInClone(
        phNode: *mut CUgraphNode,
        hOriginalNode: CUgraphNode,
        hClonedGraph: CUgraph,
    ) [after_fault] {
        entry::wanted(phNode)?;
        let original = node(hOriginalNode)?.handle;
        let clone = find(hClonedGraph)?;
        let copy = clone.copies.get(&original).copied().filter(|&copy| clone.has(copy));
        let copy = copy.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        entry::write(phNode, std::ptr::without_provenance_mut(copy))
    }
}
