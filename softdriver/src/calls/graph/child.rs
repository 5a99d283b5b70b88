//! The driver functions about [`child`](crate::model::graph::child).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::graph::exec::find as find_exec;
use crate::calls::graph::params;
use crate::entry::{self, Answer};
use crate::model::graph::add::add;
use crate::model::graph::child::{Child, flat};
use crate::model::graph::difference::pairs;
use crate::model::graph::node::{Node, Work};
use crate::model::graph::query::node;
use crate::model::graph::{find, graph_of};
use cuscope_sys::*;

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
