//! The driver functions about [`add`](crate::model::graph::add).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::graph::kernel::launch_of;
use crate::calls::graph::params;
use crate::model::graph::add::add;
use crate::model::graph::node::Work;
use cuscope_sys::*;

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
