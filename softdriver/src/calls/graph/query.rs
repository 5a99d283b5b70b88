//! The driver functions about [`query`](crate::model::graph::query).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry::{self, Answer};
use crate::model::graph::node::Node;
use crate::model::graph::query::{PLAIN, is_plain, node};
use crate::model::graph::{find, graph_of};
use cuscope_sys::*;

/// Writes as many of the handles as there is room for, null after the last, and says how many.
/// Without an array, says how many there are. No room at all is INVALID_VALUE (F150).
pub(super) fn list(to: &[*mut CUgraphNode], count: *mut usize, rows: &[&[usize]]) -> Answer {
    let room = entry::read(count)?;
    let len = rows.first().map_or(0, |row| row.len());
    if to.iter().all(|to| to.is_null()) {
        return entry::write(count, len);
    }
    if room == 0 || to.iter().any(|to| to.is_null()) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    for (to, row) in to.iter().zip(rows) {
        for i in 0..room {
            let handle = row.get(i).copied().unwrap_or(0);
            entry::write(to.wrapping_add(i), std::ptr::without_provenance_mut(handle))?;
        }
    }
    entry::write(count, len.min(room))
}

/// Edges: the nodes in front, those behind, and the data.
type Edges = (Vec<usize>, Vec<usize>, Vec<CUgraphEdgeData>);

/// The edges that `which` holds of.
fn some(nodes: &[Node], which: impl Fn(usize, usize) -> bool) -> Edges {
    let mut edges = Vec::new();
    for to in nodes {
        let before = to.before.iter().filter(|&&from| which(from, to.handle));
        edges.extend(before.map(|&from| (from, to.handle, to.edge_from(from))));
    }
    edges.sort_unstable_by_key(|&(from, to, _)| (from, to));
    let mut all = Edges::default();
    for (from, to, data) in edges {
        all.0.push(from);
        all.1.push(to);
        all.2.push(data);
    }
    all
}

/// Writes nodes, and the data of edges. LOSSY_QUERY if edges do more than order and their data is not asked for
/// (F565).
fn list_edges(
    to: &[*mut CUgraphNode],
    data: *mut CUgraphEdgeData,
    count: *mut usize,
    rows: &[&[usize]],
    edges: &[CUgraphEdgeData],
) -> Answer {
    let asks = to.iter().any(|to| !to.is_null());
    if !asks && !data.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if asks && data.is_null() && !edges.iter().all(|&edge| is_plain(edge)) {
        return Err(CUDA_ERROR_LOSSY_QUERY);
    }
    list(to, count, rows)?;
    if asks && !data.is_null() {
        for (i, &edge) in edges.iter().enumerate().take(entry::read(count)?) {
            entry::write(data.wrapping_add(i), edge)?;
        }
    }
    Ok(())
}

/// The edges to a node, in the order in which they were added.
fn edges_to(node: &Node) -> (Vec<usize>, Vec<CUgraphEdgeData>) {
    (node.before.clone(), node.before.iter().map(|&from| node.edge_from(from)).collect())
}

/// The edges from a node.
fn edges_from(node: CUgraphNode) -> Answer<(Vec<usize>, Vec<CUgraphEdgeData>)> {
    let nodes = graph_of(node.addr())?.nodes();
    let (_, to, data) = some(&nodes, |from, _| from == node.addr());
    Ok((to, data))
}

driver! {
    /// The nodes, in the order in which they were added.
    fn cuGraphGetNodes(hGraph: CUgraph, nodes: *mut CUgraphNode, numNodes: *mut usize) [
        after_fault,
    ] {
        list(&[nodes], numNodes, &[&find(hGraph)?.handles()])
    }
    /// The nodes that depend on none.
    fn cuGraphGetRootNodes(
        hGraph: CUgraph,
        rootNodes: *mut CUgraphNode,
        numRootNodes: *mut usize,
    ) [after_fault] {
        let nodes = find(hGraph)?.nodes();
        let roots = nodes.iter().filter(|node| node.before.is_empty());
        let roots: Vec<_> = roots.map(|node| node.handle).collect();
        list(&[rootNodes], numRootNodes, &[&roots])
    }
    /// The edges.
    fn cuGraphGetEdges(
        hGraph: CUgraph,
        from: *mut CUgraphNode,
        to: *mut CUgraphNode,
        numEdges: *mut usize,
    ) [after_fault] {
        let (before, behind, data) = some(&find(hGraph)?.nodes(), |_, _| true);
        let none = std::ptr::null_mut();
        list_edges(&[from, to], none, numEdges, &[&before, &behind], &data)
    }
    /// The edges, and their data, which may be unwanted.
    fn cuGraphGetEdges_v2(
        hGraph: CUgraph,
        from: *mut CUgraphNode,
        to: *mut CUgraphNode,
        edgeData: *mut CUgraphEdgeData,
        numEdges: *mut usize,
    ) [after_fault] {
        let (before, behind, mut data) = some(&find(hGraph)?.nodes(), |_, _| true);
        let room = if numEdges.is_null() { 0 } else { entry::read(numEdges)? };
        list_edges(&[from, to], edgeData, numEdges, &[&before, &behind], &data)?;
        if !edgeData.is_null() {
            // Plain ones after the last.
            data.resize(room.max(data.len()), PLAIN);
            let rest = data.iter().enumerate().take(room).skip(entry::read(numEdges)?);
            for (i, &edge) in rest {
                entry::write(edgeData.wrapping_add(i), edge)?;
            }
        }
        Ok(())
    }
    /// The kind of a node.
    fn cuGraphNodeGetType(hNode: CUgraphNode, r#type: *mut CUgraphNodeType) [after_fault] {
        let node = node(hNode)?;
        entry::write(r#type, node.kind())
    }
    /// The nodes that a node depends on.
    fn cuGraphNodeGetDependencies(
        hNode: CUgraphNode,
        dependencies: *mut CUgraphNode,
        numDependencies: *mut usize,
    ) [after_fault] {
        let (nodes, data) = edges_to(&node(hNode)?);
        list_edges(&[dependencies], std::ptr::null_mut(), numDependencies, &[&nodes], &data)
    }
    /// The same, and the data of the edges, which may be unwanted.
    fn cuGraphNodeGetDependencies_v2(
        hNode: CUgraphNode,
        dependencies: *mut CUgraphNode,
        edgeData: *mut CUgraphEdgeData,
        numDependencies: *mut usize,
    ) {
        let (nodes, data) = edges_to(&node(hNode)?);
        list_edges(&[dependencies], edgeData, numDependencies, &[&nodes], &data)
    }
    /// The nodes that depend on a node.
    fn cuGraphNodeGetDependentNodes(
        hNode: CUgraphNode,
        dependentNodes: *mut CUgraphNode,
        numDependentNodes: *mut usize,
    ) [after_fault] {
        let (nodes, data) = edges_from(hNode)?;
        list_edges(&[dependentNodes], std::ptr::null_mut(), numDependentNodes, &[&nodes], &data)
    }
    /// The same, and the data of the edges, which may be unwanted.
    fn cuGraphNodeGetDependentNodes_v2(
        hNode: CUgraphNode,
        dependentNodes: *mut CUgraphNode,
        edgeData: *mut CUgraphEdgeData,
        numDependentNodes: *mut usize,
    ) {
        let (nodes, data) = edges_from(hNode)?;
        list_edges(&[dependentNodes], edgeData, numDependentNodes, &[&nodes], &data)
    }
}
