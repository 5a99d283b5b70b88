//! The driver functions about [`graph`](crate::model::graph).
#![allow(unsafe_code, reason = "exported functions")]

pub(crate) mod add;
pub(crate) mod batch;
pub(crate) mod child;
pub(crate) mod conditional;
pub(crate) mod dot;
pub(crate) mod edit;
pub(crate) mod enabled;
pub(crate) mod event;
pub(crate) mod exec;
pub(crate) mod kernel;
pub(crate) mod memory;
pub(crate) mod params;
pub(crate) mod query;
pub(crate) mod update;
pub(crate) mod user_object;

pub use add::cuGraphAddEmptyNode;
pub use add::cuGraphAddHostNode;
pub use add::cuGraphAddKernelNode_v2;
pub use add::cuGraphAddMemcpyNode;
pub use add::cuGraphAddMemsetNode;
pub use batch::cuGraphAddBatchMemOpNode;
pub use batch::cuGraphBatchMemOpNodeGetParams;
pub use batch::cuGraphBatchMemOpNodeSetParams;
pub use batch::cuGraphExecBatchMemOpNodeSetParams;
pub use child::cuGraphAddChildGraphNode;
pub use child::cuGraphChildGraphNodeGetGraph;
pub use child::cuGraphExecChildGraphNodeSetParams;
pub use conditional::cuGraphAddNode;
pub use conditional::cuGraphAddNode_v2;
pub use conditional::cuGraphConditionalHandleCreate;
pub use dot::cuGraphDebugDotPrint;
pub use edit::cuGraphAddDependencies;
pub use edit::cuGraphAddDependencies_v2;
pub use edit::cuGraphClone;
pub use edit::cuGraphDestroyNode;
pub use edit::cuGraphNodeFindInClone;
pub use edit::cuGraphRemoveDependencies;
pub use edit::cuGraphRemoveDependencies_v2;
pub use enabled::cuGraphNodeGetEnabled;
pub use enabled::cuGraphNodeSetEnabled;
pub use event::cuGraphAddEventRecordNode;
pub use event::cuGraphAddEventWaitNode;
pub use event::cuGraphEventRecordNodeGetEvent;
pub use event::cuGraphEventRecordNodeSetEvent;
pub use event::cuGraphEventWaitNodeGetEvent;
pub use event::cuGraphEventWaitNodeSetEvent;
pub use event::cuGraphExecEventRecordNodeSetEvent;
pub use event::cuGraphExecEventWaitNodeSetEvent;
pub use exec::cuGraphExecDestroy;
pub use exec::cuGraphExecGetFlags;
pub use exec::cuGraphInstantiateWithFlags;
pub use exec::cuGraphInstantiateWithParams;
pub use exec::cuGraphLaunch;
pub use exec::cuGraphUpload;
pub use kernel::cuGraphExecKernelNodeSetParams_v2;
pub use kernel::cuGraphKernelNodeCopyAttributes;
pub use kernel::cuGraphKernelNodeGetAttribute;
pub use kernel::cuGraphKernelNodeGetParams_v2;
pub use kernel::cuGraphKernelNodeSetAttribute;
pub use kernel::cuGraphKernelNodeSetParams_v2;
pub use memory::cuDeviceGetGraphMemAttribute;
pub use memory::cuDeviceGraphMemTrim;
pub use memory::cuDeviceSetGraphMemAttribute;
pub use memory::cuGraphAddMemAllocNode;
pub use memory::cuGraphAddMemFreeNode;
pub use memory::cuGraphMemAllocNodeGetParams;
pub use memory::cuGraphMemFreeNodeGetParams;
pub(crate) use memory::leave;
pub use params::cuGraphExecHostNodeSetParams;
pub use params::cuGraphExecMemcpyNodeSetParams;
pub use params::cuGraphExecMemsetNodeSetParams;
pub use params::cuGraphHostNodeGetParams;
pub use params::cuGraphHostNodeSetParams;
pub use params::cuGraphMemcpyNodeGetParams;
pub use params::cuGraphMemcpyNodeSetParams;
pub use params::cuGraphMemsetNodeGetParams;
pub use params::cuGraphMemsetNodeSetParams;
pub use query::cuGraphGetEdges;
pub use query::cuGraphGetEdges_v2;
pub use query::cuGraphGetNodes;
pub use query::cuGraphGetRootNodes;
pub use query::cuGraphNodeGetDependencies;
pub use query::cuGraphNodeGetDependencies_v2;
pub use query::cuGraphNodeGetDependentNodes;
pub use query::cuGraphNodeGetDependentNodes_v2;
pub use query::cuGraphNodeGetType;
pub use update::cuGraphExecUpdate_v2;
pub use user_object::cuGraphReleaseUserObject;
pub use user_object::cuGraphRetainUserObject;
pub use user_object::cuUserObjectCreate;
pub use user_object::cuUserObjectRelease;
pub use user_object::cuUserObjectRetain;

use crate::call::driver;
use crate::entry;
use crate::model::graph::HANDLES;
use crate::model::graph::{Graph, find};
use core::ffi::c_uint;
use cuscope_sys::*;

driver! {
    /// Creates an empty graph; needs no context (F41).
    fn cuGraphCreate(phGraph: *mut CUgraph, flags: c_uint) [after_fault] {
        entry::wanted(phGraph)?;
        if flags != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let (handle, _) = Graph::default().insert();
        entry::write(phGraph, std::ptr::without_provenance_mut(handle))
    }
    /// Destroys a graph, unless a capture still adds to it; what was instantiated from it stays.
    fn cuGraphDestroy(hGraph: CUgraph) [after_fault] {
        let graph = find(hGraph)?;
        if graph.captured() {
            return Err(CUDA_ERROR_ILLEGAL_STATE);
        }
        if graph.body {
            return Err(CUDA_ERROR_INVALID_VALUE); // F523
        }
        HANDLES.remove(hGraph.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        Ok(())
    }
}
