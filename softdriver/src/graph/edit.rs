//! Changes of graphs, and copies of them.
#![allow(unsafe_code, reason = "exported functions")]

use super::query::{list, node};
use super::{GRAPHS, Graph, Work, find, graph_of};
use crate::entry::{self, Answer, driver};
use crate::sync;
use cuscope_sys::*;

/// Whether an edge only orders.
fn is_plain(edge: CUgraphEdgeData) -> bool {
    (edge.from_port, edge.to_port, edge.r#type, edge.reserved) == (0, 0, 0, [0; 5])
}

/// The pairs of nodes of an edge each, all of the graph; INVALID_VALUE otherwise.
fn pairs(
    graph: &Graph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    data: *const CUgraphEdgeData,
    count: usize,
) -> Answer<Vec<(usize, usize)>> {
    let mut pairs = Vec::new();
    for i in 0..count {
        let pair = (entry::element(from, i)?.addr(), entry::element(to, i)?.addr());
        let plain = data.is_null() || is_plain(entry::element(data, i)?);
        if !graph.has(pair.0) || !graph.has(pair.1) || !plain {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        pairs.push(pair);
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
    mut one: impl FnMut(&mut Vec<usize>, usize) -> bool,
) -> Answer {
    let graph = find(graph)?;
    for (from, to) in pairs(&graph, from, to, data, count)? {
        if from == to || !graph.with_node(to, |node| one(&mut node.before, from))? {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
    }
    Ok(())
}

/// Adds an edge, unless it is there.
fn add(before: &mut Vec<usize>, from: usize) -> bool {
    let new = !before.contains(&from);
    if new {
        before.push(from);
    }
    new
}

/// Removes an edge that is there.
fn remove(before: &mut Vec<usize>, from: usize) -> bool {
    let count = before.len();
    before.retain(|&one| one != from);
    before.len() < count
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
    change(graph, from, to, data, count, remove)
}

/// The nodes that depend on one.
fn dependent(of: CUgraphNode) -> Answer<Vec<usize>> {
    let nodes = graph_of(of.addr())?.nodes();
    let behind = nodes.iter().filter(|one| one.before.contains(&of.addr()));
    Ok(behind.map(|one| one.handle).collect())
}

driver! {
    /// Makes nodes depend on others. A cycle is found when the graph is instantiated (F191).
    fn cuGraphAddDependencies(
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        numDependencies: usize,
    ) {
        change(hGraph, from, to, std::ptr::null(), numDependencies, add)
    }
    /// The same; edges that do more than order are INVALID_VALUE here, as is what a node does not offer.
    fn cuGraphAddDependencies_v2(
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        edgeData: *const CUgraphEdgeData,
        numDependencies: usize,
    ) {
        change(hGraph, from, to, edgeData, numDependencies, add)
    }
    /// Removes edges.
    fn cuGraphRemoveDependencies(
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        numDependencies: usize,
    ) {
        remove_from(hGraph, from, to, std::ptr::null(), numDependencies)
    }
    /// The same.
    fn cuGraphRemoveDependencies_v2(
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        edgeData: *const CUgraphEdgeData,
        numDependencies: usize,
    ) {
        remove_from(hGraph, from, to, edgeData, numDependencies)
    }
    /// The nodes that depend on a node.
    fn cuGraphNodeGetDependentNodes(
        hNode: CUgraphNode,
        dependentNodes: *mut CUgraphNode,
        numDependentNodes: *mut usize,
    ) {
        list(&[dependentNodes], numDependentNodes, &[&dependent(hNode)?])
    }
    /// Takes a node out of its graph, with its edges; not out of one that a capture adds to (F192).
    fn cuGraphDestroyNode(hNode: CUgraphNode) {
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
        }
        Ok(())
    }
    /// Copies a graph; its nodes are new ones.
    fn cuGraphClone(phGraphClone: *mut CUgraph, originalGraph: CUgraph) {
        entry::wanted(phGraphClone)?;
        let (handle, _) = find(originalGraph)?.copied()?.insert();
        entry::write(phGraphClone, std::ptr::without_provenance_mut(handle))
    }
    /// The copy of a node in a copy of its graph; not in a copy of that (F193).
    fn cuGraphNodeFindInClone(
        phNode: *mut CUgraphNode,
        hOriginalNode: CUgraphNode,
        hClonedGraph: CUgraph,
    ) {
        entry::wanted(phNode)?;
        let original = node(hOriginalNode)?.handle;
        let clone = find(hClonedGraph)?;
        let copy = clone.copies.get(&original).copied().filter(|&copy| clone.has(copy));
        let copy = copy.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        entry::write(phNode, std::ptr::without_provenance_mut(copy))
    }
}
