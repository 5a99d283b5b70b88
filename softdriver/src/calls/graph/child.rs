//! The driver functions about [`child`](crate::model::graph::child).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::graph::exec::find as find_exec;
use crate::entry;
use crate::model::graph::add::add;
use crate::model::graph::child::{Child, flat};
use crate::model::graph::find;
use crate::model::graph::node::Work;
use crate::model::graph::query::node;
use cuscope_sys::*;

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
        let (exec, other) = (find_exec(hGraphExec)?, find(childGraph)?);
        let node = node(hNode)?;
        let Work::Child(child) = &*node.work else { return Err(CUDA_ERROR_INVALID_VALUE) };
        let new = flat(other.nodes());
        exec.replace(&flat(child.graph.nodes()), &new)
    }
}
