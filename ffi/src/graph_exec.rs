//! Instantiated graphs: launches, and changes without a new instantiation.

use crate::types::*;
use core::ffi::c_uint;

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! graph_exec_functions { ($with:path) => { $with! {
    /// Makes a graph ready to run.
    11040 fn cuGraphInstantiateWithFlags(phGraphExec: *mut CUgraphExec, hGraph: CUgraph, flags: u64) -> CUresult;
    /// Makes a graph ready to run, and says which node is at fault if that fails.
    12000 fn cuGraphInstantiateWithParams(phGraphExec: *mut CUgraphExec, hGraph: CUgraph, instantiateParams: *mut CUDA_GRAPH_INSTANTIATE_PARAMS) -> CUresult;
    /// Brings an instantiated graph to its device, in the order of a stream, without running it.
    11010 fn cuGraphUpload(hGraph: CUgraphExec, hStream: CUstream) -> CUresult;
    /// Enqueues an instantiated graph.
    10000 fn cuGraphLaunch(hGraph: CUgraphExec, hStream: CUstream) -> CUresult;
    /// Destroys an instantiated graph.
    10000 fn cuGraphExecDestroy(hGraphExec: CUgraphExec) -> CUresult;
    /// The flags that a graph was instantiated with.
    12000 fn cuGraphExecGetFlags(hGraphExec: CUgraphExec, flags: *mut cuuint64_t) -> CUresult;
    /// Takes over the parameters of a graph of the same shape; says which node prevents it if that fails.
    12000 fn cuGraphExecUpdate_v2(hGraphExec: CUgraphExec, hGraph: CUgraph, resultInfo: *mut CUgraphExecUpdateResultInfo) -> CUresult;
    /// Sets the launch that a kernel node makes, for the next launches of the graph.
    12000 fn cuGraphExecKernelNodeSetParams_v2(hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS) -> CUresult;
    /// Sets the copy that a node makes, for the next launches.
    10020 fn cuGraphExecMemcpyNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, copyParams: *const CUDA_MEMCPY3D, ctx: CUcontext) -> CUresult;
    /// Sets the fill that a node makes, for the next launches.
    10020 fn cuGraphExecMemsetNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, memsetParams: *const CUDA_MEMSET_NODE_PARAMS, ctx: CUcontext) -> CUresult;
    /// Sets the call that a host node makes, for the next launches.
    10020 fn cuGraphExecHostNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *const CUDA_HOST_NODE_PARAMS) -> CUresult;
    /// Takes over the parameters of a graph of the same shape as a child graph node's, for the next launches.
    11010 fn cuGraphExecChildGraphNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, childGraph: CUgraph) -> CUresult;
    /// Sets the event that a node records, for the next launches.
    11010 fn cuGraphExecEventRecordNodeSetEvent(hGraphExec: CUgraphExec, hNode: CUgraphNode, event: CUevent) -> CUresult;
    /// Sets the event that a node waits for, for the next launches.
    11010 fn cuGraphExecEventWaitNodeSetEvent(hGraphExec: CUgraphExec, hNode: CUgraphNode, event: CUevent) -> CUresult;
    /// Sets the semaphores that a node signals, for the next launches.
    11020 fn cuGraphExecExternalSemaphoresSignalNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS) -> CUresult;
    /// Sets the semaphores that a node waits for, for the next launches.
    11020 fn cuGraphExecExternalSemaphoresWaitNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS) -> CUresult;
    /// Sets the waits and writes of a node, for the next launches.
    11070 fn cuGraphExecBatchMemOpNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS) -> CUresult;
    /// Switches a kernel, fill or copy node of an instantiated graph on (1) or off (0).
    11060 fn cuGraphNodeSetEnabled(hGraphExec: CUgraphExec, hNode: CUgraphNode, isEnabled: c_uint) -> CUresult;
    /// Whether a node of an instantiated graph is on.
    11060 fn cuGraphNodeGetEnabled(hGraphExec: CUgraphExec, hNode: CUgraphNode, isEnabled: *mut c_uint) -> CUresult;
} } }
graph_exec_functions!(declare);

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! graph_exec_newer_functions { ($with:path) => { $with! {
    /// The number of an instantiated graph.
    13010 fn cuGraphExecGetId(hGraphExec: CUgraphExec, graphId: *mut c_uint) -> CUresult;
    /// Sets the parameters of a node of any type for the next launches.
    12020 fn cuGraphExecNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *mut CUgraphNodeParams) -> CUresult;
} } }
graph_exec_newer_functions!(lookup);

// skipped cuGraphInstantiate: superseded by cuGraphInstantiateWithFlags
// skipped cuGraphInstantiate_v2: superseded by cuGraphInstantiateWithParams
// skipped cuGraphExecUpdate: superseded by cuGraphExecUpdate_v2
// skipped cuGraphExecKernelNodeSetParams: superseded by cuGraphExecKernelNodeSetParams_v2
