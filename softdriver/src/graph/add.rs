//! Nodes that the program adds.
#![allow(unsafe_code, reason = "exported functions")]

use super::kernel::launch_of;
use super::{Graph, Node, Work, find, params};
use crate::entry::{self, Answer, driver};
use crate::life::Life;
use cuscope_sys::*;
use std::collections::HashSet;
use std::sync::Arc;

/// Adds what `make` makes behind nodes of the same graph, each named once.
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

driver! {
    /// Adds a fill. Without a context it is in that of the memory.
    fn cuGraphAddMemsetNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        memsetParams: *const CUDA_MEMSET_NODE_PARAMS,
        ctx: CUcontext,
    ) [after_fault_if_zero(&[5])] {
        add(phGraphNode, hGraph, dependencies, numDependencies, |graph| {
            params::fill_of(graph, memsetParams, ctx)
        })
    }
    /// Adds a node that does nothing.
    fn cuGraphAddEmptyNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE, host_fn, after_fault] {
        add(phGraphNode, hGraph, dependencies, numDependencies, |_| Ok((None, Work::Empty)))
    }
    /// Adds a function of the host.
    fn cuGraphAddHostNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_HOST_NODE_PARAMS,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE, host_fn, after_fault] {
        add(phGraphNode, hGraph, dependencies, numDependencies, |_| params::call(nodeParams))
    }
    /// Adds a launch; the parameters are read before it returns. Needs a current context, without
    /// which the real driver dies.
    fn cuGraphAddKernelNode_v2(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
    ) {
        add(phGraphNode, hGraph, dependencies, numDependencies, |_| {
            let launch = launch_of(nodeParams)?;
            Ok((Some(launch.life().clone()), Work::Kernel(launch)))
        })
    }
    /// Adds a copy of rows and planes (F337).
    fn cuGraphAddMemcpyNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        copyParams: *const CUDA_MEMCPY3D,
        ctx: CUcontext,
    ) {
        add(phGraphNode, hGraph, dependencies, numDependencies, |graph| {
            params::copy(graph, copyParams, ctx)
        })
    }
}
