//! Graphs under construction, and their nodes.

use crate::types::*;
use core::ffi::{c_char, c_uint, c_void};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! graph_functions { ($with:path) => { $with! {
    /// Creates an empty graph; `flags` must be 0.
    10000 fn cuGraphCreate(phGraph: *mut CUgraph, flags: c_uint) -> CUresult;
    /// Destroys a graph.
    10000 fn cuGraphDestroy(hGraph: CUgraph) -> CUresult;
    /// Copies a graph and the graphs within it; not one with allocations, releases or conditional nodes.
    10000 fn cuGraphClone(phGraphClone: *mut CUgraph, originalGraph: CUgraph) -> CUresult;
    /// The node of a clone that a node of the original became.
    10000 fn cuGraphNodeFindInClone(phNode: *mut CUgraphNode, hOriginalNode: CUgraphNode, hClonedGraph: CUgraph) -> CUresult;
    /// Adds a launch of a kernel.
    12000 fn cuGraphAddKernelNode_v2(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *const CUDA_KERNEL_NODE_PARAMS) -> CUresult;
    /// The launch that a kernel node makes; its arguments belong to the node.
    12000 fn cuGraphKernelNodeGetParams_v2(hNode: CUgraphNode, nodeParams: *mut CUDA_KERNEL_NODE_PARAMS) -> CUresult;
    /// Sets the launch that a kernel node makes.
    12000 fn cuGraphKernelNodeSetParams_v2(hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS) -> CUresult;
    /// Copies all attributes of one kernel node to another.
    11000 fn cuGraphKernelNodeCopyAttributes(dst: CUgraphNode, src: CUgraphNode) -> CUresult;
    /// One attribute of a kernel node.
    11000 fn cuGraphKernelNodeGetAttribute(hNode: CUgraphNode, attr: CUkernelNodeAttrID, value_out: *mut CUkernelNodeAttrValue) -> CUresult;
    /// Sets an attribute of a kernel node.
    11000 fn cuGraphKernelNodeSetAttribute(hNode: CUgraphNode, attr: CUkernelNodeAttrID, value: *const CUkernelNodeAttrValue) -> CUresult;
    /// Adds a copy of memory.
    10000 fn cuGraphAddMemcpyNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, copyParams: *const CUDA_MEMCPY3D, ctx: CUcontext) -> CUresult;
    /// The copy that a node makes.
    10000 fn cuGraphMemcpyNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_MEMCPY3D) -> CUresult;
    /// Sets the copy that a node makes.
    10000 fn cuGraphMemcpyNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_MEMCPY3D) -> CUresult;
    /// Adds a fill of memory.
    10000 fn cuGraphAddMemsetNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, memsetParams: *const CUDA_MEMSET_NODE_PARAMS, ctx: CUcontext) -> CUresult;
    /// The fill that a node makes.
    10000 fn cuGraphMemsetNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_MEMSET_NODE_PARAMS) -> CUresult;
    /// Sets the fill that a node makes.
    10000 fn cuGraphMemsetNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_MEMSET_NODE_PARAMS) -> CUresult;
    /// Adds a call of a host function, which must not call the driver.
    10000 fn cuGraphAddHostNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *const CUDA_HOST_NODE_PARAMS) -> CUresult;
    /// The call that a host node makes.
    10000 fn cuGraphHostNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_HOST_NODE_PARAMS) -> CUresult;
    /// Sets the call that a host node makes.
    10000 fn cuGraphHostNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_HOST_NODE_PARAMS) -> CUresult;
    /// Adds a copy of a graph as one node.
    10000 fn cuGraphAddChildGraphNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, childGraph: CUgraph) -> CUresult;
    /// The graph within a child graph node, which belongs to the node.
    10000 fn cuGraphChildGraphNodeGetGraph(hNode: CUgraphNode, phGraph: *mut CUgraph) -> CUresult;
    /// Adds a node that does nothing, to join dependencies.
    10000 fn cuGraphAddEmptyNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize) -> CUresult;
    /// Adds a record of an event.
    11010 fn cuGraphAddEventRecordNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, event: CUevent) -> CUresult;
    /// The event that a node records.
    11010 fn cuGraphEventRecordNodeGetEvent(hNode: CUgraphNode, event_out: *mut CUevent) -> CUresult;
    /// Sets the event that a node records.
    11010 fn cuGraphEventRecordNodeSetEvent(hNode: CUgraphNode, event: CUevent) -> CUresult;
    /// Adds a wait for an event.
    11010 fn cuGraphAddEventWaitNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, event: CUevent) -> CUresult;
    /// The event that a node waits for.
    11010 fn cuGraphEventWaitNodeGetEvent(hNode: CUgraphNode, event_out: *mut CUevent) -> CUresult;
    /// Sets the event that a node waits for.
    11010 fn cuGraphEventWaitNodeSetEvent(hNode: CUgraphNode, event: CUevent) -> CUresult;
    /// Adds a signal of external semaphores.
    11020 fn cuGraphAddExternalSemaphoresSignalNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS) -> CUresult;
    /// The semaphores that a node signals; the arrays belong to the node.
    11020 fn cuGraphExternalSemaphoresSignalNodeGetParams(hNode: CUgraphNode, params_out: *mut CUDA_EXT_SEM_SIGNAL_NODE_PARAMS) -> CUresult;
    /// Sets the semaphores that a node signals.
    11020 fn cuGraphExternalSemaphoresSignalNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS) -> CUresult;
    /// Adds a wait for external semaphores.
    11020 fn cuGraphAddExternalSemaphoresWaitNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS) -> CUresult;
    /// The semaphores that a node waits for; the arrays belong to the node.
    11020 fn cuGraphExternalSemaphoresWaitNodeGetParams(hNode: CUgraphNode, params_out: *mut CUDA_EXT_SEM_WAIT_NODE_PARAMS) -> CUresult;
    /// Sets the semaphores that a node waits for.
    11020 fn cuGraphExternalSemaphoresWaitNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS) -> CUresult;
    /// Adds waits and writes of single values in memory.
    11070 fn cuGraphAddBatchMemOpNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS) -> CUresult;
    /// The waits and writes of a node; the array belongs to the node.
    11070 fn cuGraphBatchMemOpNodeGetParams(hNode: CUgraphNode, nodeParams_out: *mut CUDA_BATCH_MEM_OP_NODE_PARAMS) -> CUresult;
    /// Sets the waits and writes of a node.
    11070 fn cuGraphBatchMemOpNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS) -> CUresult;
    /// Adds an allocation, whose address is written to `nodeParams` at once.
    11040 fn cuGraphAddMemAllocNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *mut CUDA_MEM_ALLOC_NODE_PARAMS) -> CUresult;
    /// The allocation that a node makes.
    11040 fn cuGraphMemAllocNodeGetParams(hNode: CUgraphNode, params_out: *mut CUDA_MEM_ALLOC_NODE_PARAMS) -> CUresult;
    /// Adds the release of what an allocation node of any graph allocates.
    11040 fn cuGraphAddMemFreeNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, dptr: CUdeviceptr) -> CUresult;
    /// The address that a node frees.
    11040 fn cuGraphMemFreeNodeGetParams(hNode: CUgraphNode, dptr_out: *mut CUdeviceptr) -> CUresult;
    /// Gives memory back to the system that graphs of a device had allocated and do not use.
    11040 fn cuDeviceGraphMemTrim(device: CUdevice) -> CUresult;
    /// Writes how much memory the graphs of a device use, or used at most, in bytes: a `u64`.
    11040 fn cuDeviceGetGraphMemAttribute(device: CUdevice, attr: CUgraphMem_attribute, value: *mut c_void) -> CUresult;
    /// Resets the record of the highest use; `value` points to a `u64` of 0.
    11040 fn cuDeviceSetGraphMemAttribute(device: CUdevice, attr: CUgraphMem_attribute, value: *mut c_void) -> CUresult;
    /// The type of a node.
    10000 fn cuGraphNodeGetType(hNode: CUgraphNode, type_: *mut CUgraphNodeType) -> CUresult;
    /// The nodes of a graph; their number alone if `nodes` is null.
    10000 fn cuGraphGetNodes(hGraph: CUgraph, nodes: *mut CUgraphNode, numNodes: *mut usize) -> CUresult;
    /// The nodes that depend on none; their number alone if `rootNodes` is null.
    10000 fn cuGraphGetRootNodes(hGraph: CUgraph, rootNodes: *mut CUgraphNode, numRootNodes: *mut usize) -> CUresult;
    /// The edges of a graph; their number alone if `from` and `to` are null. Fails if an edge has data.
    10000 fn cuGraphGetEdges(hGraph: CUgraph, from: *mut CUgraphNode, to: *mut CUgraphNode, numEdges: *mut usize) -> CUresult;
    /// The nodes that a node depends on; their number alone if `dependencies` is null.
    10000 fn cuGraphNodeGetDependencies(hNode: CUgraphNode, dependencies: *mut CUgraphNode, numDependencies: *mut usize) -> CUresult;
    /// The nodes that depend on a node; their number alone if `dependentNodes` is null.
    10000 fn cuGraphNodeGetDependentNodes(hNode: CUgraphNode, dependentNodes: *mut CUgraphNode, numDependentNodes: *mut usize) -> CUresult;
    /// Adds edges: each `to` depends on its `from`.
    10000 fn cuGraphAddDependencies(hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, numDependencies: usize) -> CUresult;
    /// Removes edges.
    10000 fn cuGraphRemoveDependencies(hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, numDependencies: usize) -> CUresult;
    /// Removes a node and its edges; not an allocation or a release.
    10000 fn cuGraphDestroyNode(hNode: CUgraphNode) -> CUresult;
    /// Writes a graph to a file as a drawing in the DOT language.
    11030 fn cuGraphDebugDotPrint(hGraph: CUgraph, path: *const c_char, flags: c_uint) -> CUresult;
    /// Creates a counted reference to `ptr`; `destroy` is called when the last one is given back, and must not call the driver.
    11030 fn cuUserObjectCreate(object_out: *mut CUuserObject, ptr: *mut c_void, destroy: CUhostFn, initialRefcount: c_uint, flags: c_uint) -> CUresult;
    /// Takes `count` more references to a user object.
    11030 fn cuUserObjectRetain(object: CUuserObject, count: c_uint) -> CUresult;
    /// Gives `count` references to a user object back.
    11030 fn cuUserObjectRelease(object: CUuserObject, count: c_uint) -> CUresult;
    /// Gives `count` references to a user object to a graph, taken anew or the caller's as `flags` says.
    11030 fn cuGraphRetainUserObject(graph: CUgraph, object: CUuserObject, count: c_uint, flags: c_uint) -> CUresult;
    /// Gives back `count` references to a user object that a graph holds.
    11030 fn cuGraphReleaseUserObject(graph: CUgraph, object: CUuserObject, count: c_uint) -> CUresult;
} } }
graph_functions!(declare);

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! graph_newer_functions { ($with:path) => { $with! {
    /// Adds a node of any type.
    12020 fn cuGraphAddNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *mut CUgraphNodeParams) -> CUresult;
    /// Adds a node of any type; data of the edges may be null.
    12030 fn cuGraphAddNode_v2(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, dependencyData: *const CUgraphEdgeData, numDependencies: usize, nodeParams: *mut CUgraphNodeParams) -> CUresult;
    /// As `cuGraphAddNode_v2`; a kernel node's function must have been loaded in its context's device context.
    13040 fn cuGraphAddNode_v3(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, dependencyData: *const CUgraphEdgeData, numDependencies: usize, nodeParams: *mut CUgraphNodeParams) -> CUresult;
    /// Sets the parameters of a node of any type that can be changed.
    12020 fn cuGraphNodeSetParams(hNode: CUgraphNode, nodeParams: *mut CUgraphNodeParams) -> CUresult;
    /// As `cuGraphNodeSetParams`; a kernel node's function must have been loaded in its context's device context.
    13040 fn cuGraphNodeSetParams_v2(hNode: CUgraphNode, nodeParams: *mut CUgraphNodeParams) -> CUresult;
    /// The parameters of a node of any type.
    13020 fn cuGraphNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUgraphNodeParams) -> CUresult;
    /// Creates a value that kernels set and a conditional node of the graph reads.
    12030 fn cuGraphConditionalHandleCreate(pHandle_out: *mut CUgraphConditionalHandle, hGraph: CUgraph, ctx: CUcontext, defaultLaunchValue: c_uint, flags: c_uint) -> CUresult;
    /// The graph that a node is in.
    13010 fn cuGraphNodeGetContainingGraph(hNode: CUgraphNode, phGraph: *mut CUgraph) -> CUresult;
    /// The number of a node within its graph, as in `cuGraphDebugDotPrint`.
    13010 fn cuGraphNodeGetLocalId(hNode: CUgraphNode, nodeId: *mut c_uint) -> CUresult;
    /// The number by which tools know a node.
    13010 fn cuGraphNodeGetToolsId(hNode: CUgraphNode, toolsNodeId: *mut u64) -> CUresult;
    /// The number of a graph, as in `cuGraphDebugDotPrint`.
    13010 fn cuGraphGetId(hGraph: CUgraph, graphId: *mut c_uint) -> CUresult;
    /// The edges of a graph with their data; their number alone if the arrays are null.
    12030 fn cuGraphGetEdges_v2(hGraph: CUgraph, from: *mut CUgraphNode, to: *mut CUgraphNode, edgeData: *mut CUgraphEdgeData, numEdges: *mut usize) -> CUresult;
    /// The nodes that a node depends on, with the data of the edges; their number alone if the arrays are null.
    12030 fn cuGraphNodeGetDependencies_v2(hNode: CUgraphNode, dependencies: *mut CUgraphNode, edgeData: *mut CUgraphEdgeData, numDependencies: *mut usize) -> CUresult;
    /// The nodes that depend on a node, with the data of the edges; their number alone if the arrays are null.
    12030 fn cuGraphNodeGetDependentNodes_v2(hNode: CUgraphNode, dependentNodes: *mut CUgraphNode, edgeData: *mut CUgraphEdgeData, numDependentNodes: *mut usize) -> CUresult;
    /// Adds edges with data: each `to` depends on its `from`.
    12030 fn cuGraphAddDependencies_v2(hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, edgeData: *const CUgraphEdgeData, numDependencies: usize) -> CUresult;
    /// Removes edges, whose data must match.
    12030 fn cuGraphRemoveDependencies_v2(hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, edgeData: *const CUgraphEdgeData, numDependencies: usize) -> CUresult;
} } }
graph_newer_functions!(lookup);

// skipped cuGraphAddKernelNode: superseded by cuGraphAddKernelNode_v2
// skipped cuGraphKernelNodeGetParams: superseded by cuGraphKernelNodeGetParams_v2
// skipped cuGraphKernelNodeSetParams: superseded by cuGraphKernelNodeSetParams_v2
