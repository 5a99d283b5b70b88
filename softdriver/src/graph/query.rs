//! What is asked of graphs.
#![allow(unsafe_code, reason = "exported functions")]

use super::{Node, find, graph_of};
use crate::entry::{self, Answer, driver};
use cuscope_sys::*;

/// Writes as many of the handles as there is room for, null behind the last, and says how many.
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

/// The edges of a graph: the nodes in front, and those behind.
fn edges(graph: CUgraph) -> Answer<(Vec<usize>, Vec<usize>)> {
    let nodes = find(graph)?.nodes();
    let before = |to: &Node| {
        let to_handle = to.handle;
        to.before.iter().map(|&from| (from, to_handle)).collect::<Vec<_>>()
    };
    let mut edges: Vec<_> = nodes.iter().flat_map(before).collect();
    edges.sort_unstable();
    Ok(edges.into_iter().unzip())
}

/// The node of a handle; INVALID_VALUE for what is none.
pub(crate) fn node(handle: CUgraphNode) -> Answer<Node> {
    graph_of(handle.addr())?.with_node(handle.addr(), |node| node.clone())
}

driver! {
    /// The nodes, in the order in which they were added.
    fn cuGraphGetNodes(hGraph: CUgraph, nodes: *mut CUgraphNode, numNodes: *mut usize) {
        list(&[nodes], numNodes, &[&find(hGraph)?.handles()])
    }
    /// The nodes that depend on none.
    fn cuGraphGetRootNodes(
        hGraph: CUgraph,
        rootNodes: *mut CUgraphNode,
        numRootNodes: *mut usize,
    ) {
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
    ) {
        let (before, behind) = edges(hGraph)?;
        list(&[from, to], numEdges, &[&before, &behind])
    }
    /// The edges, and their data, which may be unwanted.
    fn cuGraphGetEdges_v2(
        hGraph: CUgraph,
        from: *mut CUgraphNode,
        to: *mut CUgraphNode,
        edgeData: *mut CUgraphEdgeData,
        numEdges: *mut usize,
    ) {
        let (before, behind) = edges(hGraph)?;
        list(&[from, to], numEdges, &[&before, &behind])?;
        if !edgeData.is_null() && !from.is_null() {
            for i in 0..entry::read(numEdges)? {
                entry::write(edgeData.wrapping_add(i), PLAIN)?;
            }
        }
        Ok(())
    }
    /// The kind of a node.
    fn cuGraphNodeGetType(hNode: CUgraphNode, r#type: *mut CUgraphNodeType) {
        let node = node(hNode)?;
        entry::write(r#type, node.kind())
    }
    /// The nodes that a node depends on.
    fn cuGraphNodeGetDependencies(
        hNode: CUgraphNode,
        dependencies: *mut CUgraphNode,
        numDependencies: *mut usize,
    ) {
        list(&[dependencies], numDependencies, &[&node(hNode)?.before])
    }
}

/// An edge that only orders.
pub(crate) const PLAIN: CUgraphEdgeData =
    CUgraphEdgeData { from_port: 0, to_port: 0, r#type: 0, reserved: [0; 5] };
