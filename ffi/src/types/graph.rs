//! Graphs.

use crate::{
    CUDA_BATCH_MEM_OP_NODE_PARAMS_v2, CUDA_CHILD_GRAPH_NODE_PARAMS, CUDA_CONDITIONAL_NODE_PARAMS,
    CUDA_EVENT_RECORD_NODE_PARAMS, CUDA_EVENT_WAIT_NODE_PARAMS, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2,
    CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2, CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1,
    CUDA_HOST_NODE_PARAMS_v2, CUDA_KERNEL_NODE_PARAMS_v3, CUDA_MEM_ALLOC_NODE_PARAMS_v2,
    CUDA_MEM_FREE_NODE_PARAMS, CUDA_MEMCPY_BATCH_NODE_PARAMS_V1, CUDA_MEMCPY_NODE_PARAMS,
    CUDA_MEMSET_NODE_PARAMS_v2, CUgraphNode, CUresult, CUstream, cuuint64_t,
};
use core::ffi::{c_char, c_int, c_longlong, c_uchar, c_uint, c_void};

/// The condition of a conditional node.
pub type CUgraphConditionalHandle = cuuint64_t;

enumeration! {
    /// The way in which a conditional node uses its condition.
    pub enum CUgraphConditionalNodeType: c_uint {
        /// Runs its graph once if the condition is not zero, else a second one if there is one.
        CU_GRAPH_COND_TYPE_IF = 0,
        /// Runs its graph again and again as long as the condition is not zero.
        CU_GRAPH_COND_TYPE_WHILE = 1,
        /// Runs the graph with the number of the condition.
        CU_GRAPH_COND_TYPE_SWITCH = 2,
    }
    /// The kind of a node of a graph.
    pub enum CUgraphNodeType: c_uint {
        /// Runs a kernel.
        CU_GRAPH_NODE_TYPE_KERNEL = 0,
        /// Copies memory.
        CU_GRAPH_NODE_TYPE_MEMCPY = 1,
        /// Fills memory.
        CU_GRAPH_NODE_TYPE_MEMSET = 2,
        /// Runs a function of the host.
        CU_GRAPH_NODE_TYPE_HOST = 3,
        /// Runs another graph.
        CU_GRAPH_NODE_TYPE_GRAPH = 4,
        /// Nothing.
        CU_GRAPH_NODE_TYPE_EMPTY = 5,
        /// Waits for an event.
        CU_GRAPH_NODE_TYPE_WAIT_EVENT = 6,
        /// Records an event.
        CU_GRAPH_NODE_TYPE_EVENT_RECORD = 7,
        /// Signals imported semaphores.
        CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL = 8,
        /// Waits for imported semaphores.
        CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT = 9,
        /// Allocates memory.
        CU_GRAPH_NODE_TYPE_MEM_ALLOC = 10,
        /// Frees memory.
        CU_GRAPH_NODE_TYPE_MEM_FREE = 11,
        /// Does a batch of operations on memory.
        CU_GRAPH_NODE_TYPE_BATCH_MEM_OP = 12,
        /// Runs other graphs as a condition says.
        CU_GRAPH_NODE_TYPE_CONDITIONAL = 13,
        /// Does a batch of copies.
        CU_GRAPH_NODE_TYPE_MEMCPY_BATCH = 14,
        /// Reserved.
        CU_GRAPH_NODE_TYPE_RESERVED_16 = 16,
        /// Reserved.
        CU_GRAPH_NODE_TYPE_EXTERNAL_ENGINE = 17,
        /// Does a batch of copies over the fabric.
        CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH = 18,
    }
    /// The meaning of an edge of a graph.
    pub enum CUgraphDependencyType: c_uint {
        /// The node waits until the one before is finished.
        CU_GRAPH_DEPENDENCY_TYPE_DEFAULT = 0,
        /// The node may start before the kernel before it is finished.
        CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC = 1,
    }
}

/// The meaning of an edge of a graph, and its ends.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CUgraphEdgeData {
    /// Where the edge leaves its node.
    pub from_port: c_uchar,
    /// Where the edge enters its node.
    pub to_port: c_uchar,
    /// The kind of dependency.
    pub r#type: c_uchar,
    /// Reserved; zero.
    pub reserved: [c_uchar; 5],
}

enumeration! {
    /// The outcome of an instantiation.
    pub enum CUgraphInstantiateResult: c_uint {
        /// It succeeded.
        CUDA_GRAPH_INSTANTIATE_SUCCESS = 0,
        /// It failed, for a reason that the function's code says.
        CUDA_GRAPH_INSTANTIATE_ERROR = 1,
        /// The structure is not valid: it has a cycle, for instance.
        CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE = 2,
        /// A node cannot be in a graph that the device launches.
        CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED = 3,
        /// The nodes of a graph that the device launches are of several contexts.
        CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED = 4,
        /// A condition has no node.
        CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED = 5,
    }
}

/// How to instantiate a graph, and what came of it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_GRAPH_INSTANTIATE_PARAMS {
    /// Flags of [`CUgraphInstantiate_flags`].
    pub flags: cuuint64_t,
    /// The stream to upload the graph in, if the flags ask for it.
    pub hUploadStream: CUstream,
    /// Out: the node that is at fault.
    pub hErrNode_out: CUgraphNode,
    /// Out: what came of it.
    pub result_out: CUgraphInstantiateResult,
}

enumeration! {
    /// The outcome of an update of an instantiated graph.
    pub enum CUgraphExecUpdateResult: c_uint {
        /// It succeeded.
        CU_GRAPH_EXEC_UPDATE_SUCCESS = 0x0,
        /// It failed, for a reason that the function's code says.
        CU_GRAPH_EXEC_UPDATE_ERROR = 0x1,
        /// The nodes or edges are not the same.
        CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED = 0x2,
        /// A node has another type.
        CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED = 0x3,
        /// A kernel is another, in a driver before CUDA 11.2.
        CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED = 0x4,
        /// Parameters changed that cannot.
        CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED = 0x5,
        /// A node cannot be updated.
        CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED = 0x6,
        /// A kernel changed in a way that cannot be.
        CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE = 0x7,
        /// Attributes of a node changed that cannot.
        CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED = 0x8,
    }
}

/// The outcome of an update of an instantiated graph, with the node that caused it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUgraphExecUpdateResultInfo_v1 {
    /// The outcome.
    pub result: CUgraphExecUpdateResult,
    /// The node that is at fault.
    pub errorNode: CUgraphNode,
    /// The node that the edge at fault comes from.
    pub errorFromNode: CUgraphNode,
}

/// The outcome of an update of an instantiated graph, with the node that caused it.
pub type CUgraphExecUpdateResultInfo = CUgraphExecUpdateResultInfo_v1;

enumeration! {
    /// An amount of a device's memory that graphs use.
    pub enum CUgraphMem_attribute: c_uint {
        /// Bytes in use now: a `cuuint64_t`.
        CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT = 0,
        /// Most bytes in use since the last reset: a `cuuint64_t`.
        CU_GRAPH_MEM_ATTR_USED_MEM_HIGH = 1,
        /// Bytes held now: a `cuuint64_t`.
        CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT = 2,
        /// Most bytes held since the last reset: a `cuuint64_t`.
        CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH = 3,
    }
    /// Who owns the graph of a node.
    pub enum CUgraphChildGraphNodeOwnership: c_int {
        /// The node has a copy.
        CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE = 0,
        /// The node takes the graph.
        CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE = 1,
        /// No valid value.
        CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID = -1,
    }
}

/// A node of a graph of any type.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUgraphNodeParams {
    /// The type of node, which says which field of the union counts.
    pub r#type: CUgraphNodeType,
    /// Reserved; zero.
    pub reserved0: [c_int; 3],
    /// The union that has no name in C.
    pub anonymous: CUgraphNodeParams_anonymous,
    /// Reserved; zero.
    pub reserved2: c_longlong,
}

/// The union without a name in [`CUgraphNodeParams`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUgraphNodeParams_anonymous {
    /// Reserved; zero.
    pub reserved1: [c_longlong; 29],
    /// A kernel.
    pub kernel: CUDA_KERNEL_NODE_PARAMS_v3,
    /// A copy.
    pub memcpy: CUDA_MEMCPY_NODE_PARAMS,
    /// A fill.
    pub memset: CUDA_MEMSET_NODE_PARAMS_v2,
    /// A function of the host.
    pub host: CUDA_HOST_NODE_PARAMS_v2,
    /// The graph.
    pub graph: CUDA_CHILD_GRAPH_NODE_PARAMS,
    /// A wait for an event.
    pub eventWait: CUDA_EVENT_WAIT_NODE_PARAMS,
    /// A record of an event.
    pub eventRecord: CUDA_EVENT_RECORD_NODE_PARAMS,
    /// A signal to semaphores.
    pub extSemSignal: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2,
    /// A wait for semaphores.
    pub extSemWait: CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2,
    /// An allocation.
    pub alloc: CUDA_MEM_ALLOC_NODE_PARAMS_v2,
    /// A free.
    pub free: CUDA_MEM_FREE_NODE_PARAMS,
    /// A batch of operations on memory.
    pub memOp: CUDA_BATCH_MEM_OP_NODE_PARAMS_v2,
    /// A condition.
    pub conditional: CUDA_CONDITIONAL_NODE_PARAMS,
    /// A batch of copies.
    pub memcpyBatch: CUDA_MEMCPY_BATCH_NODE_PARAMS_V1,
    /// A batch of copies over the fabric.
    pub fabricCpyBatch: CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1,
    /// All of it, as bytes.
    pub asBytes: [c_char; 232],
}

flags! {
    /// Details that `cuGraphDebugDotPrint` writes.
    pub struct CUgraphDebugDot_flags: c_uint {
        /// Everything.
        const CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE = 1;
        /// The structures of the runtime instead of the driver's.
        const CU_GRAPH_DEBUG_DOT_FLAGS_RUNTIME_TYPES = 2;
        /// The parameters of kernel nodes.
        const CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS = 4;
        /// The parameters of copy nodes.
        const CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS = 8;
        /// The parameters of fill nodes.
        const CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS = 0x10;
        /// The parameters of host nodes.
        const CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS = 0x20;
        /// The parameters of event nodes.
        const CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS = 0x40;
        /// The parameters of semaphore signal nodes.
        const CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_SIGNAL_NODE_PARAMS = 0x80;
        /// The parameters of semaphore wait nodes.
        const CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_WAIT_NODE_PARAMS = 0x100;
        /// The attributes of kernel nodes.
        const CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES = 0x200;
        /// The handles of nodes and functions.
        const CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES = 0x400;
        /// The parameters of allocation nodes.
        const CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS = 0x800;
        /// The parameters of free nodes.
        const CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS = 0x1000;
        /// The parameters of memory operation nodes.
        const CU_GRAPH_DEBUG_DOT_FLAGS_BATCH_MEM_OP_NODE_PARAMS = 0x2000;
        /// The types of edges and more of the topology.
        const CU_GRAPH_DEBUG_DOT_FLAGS_EXTRA_TOPO_INFO = 0x4000;
        /// The parameters of conditional nodes.
        const CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS = 0x8000;
        /// The parameters of copy batch nodes.
        const CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_BATCH_NODE_PARAMS = 0x10000;
        /// The parameters of fabric copy batch nodes.
        const CU_GRAPH_DEBUG_DOT_FLAGS_FABRIC_CPY_BATCH_NODE_PARAMS = 0x20000;
    }
}

flags! {
    /// How an object of the program is released.
    pub struct CUuserObject_flags: c_uint {
        /// The destructor is not waited for. Always to be given.
        const CU_USER_OBJECT_NO_DESTRUCTOR_SYNC = 1;
    }
}

flags! {
    /// How a graph retains an object.
    pub struct CUuserObjectRetain_flags: c_uint {
        /// The graph takes a reference of the caller's.
        const CU_GRAPH_USER_OBJECT_MOVE = 1;
    }
}

flags! {
    /// How a graph is instantiated.
    pub struct CUgraphInstantiate_flags: c_uint {
        /// Memory that an earlier launch left allocated is freed at the next.
        const CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH = 1;
        /// The graph is uploaded as well.
        const CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD = 2;
        /// Device code can launch the graph.
        const CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH = 4;
        /// Kernels run with the priority of their nodes, not of the stream.
        const CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY = 8;
    }
}

enumeration! {
    /// The effect on an instantiated graph of a node that is captured anew.
    pub enum CUgraphRecaptureStatus: c_uint {
        /// An instantiated graph can be updated with it.
        CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE = 0,
        /// An instantiated graph cannot be updated with it.
        CU_GRAPH_RECAPTURE_INELIGIBLE_FOR_UPDATE = 1,
        /// It failed, and the capture ends.
        CU_GRAPH_RECAPTURE_ERROR = 2,
    }
}

/// Is told of each node of a graph that is captured anew, and says whether to go on.
pub type CUgraphRecaptureCallback = Option<
    unsafe extern "C" fn(
        data: *mut c_void,
        node: CUgraphNode,
        originalParams: *const CUgraphNodeParams,
        recaptureParams: *const CUgraphNodeParams,
        status: CUgraphRecaptureStatus,
    ) -> CUresult,
>;

/// Every launch of the graph starts with the default value of the condition.
pub const CU_GRAPH_COND_ASSIGN_DEFAULT: c_uint = 0x1;
/// An edge from a kernel that starts when the kernel is finished.
pub const CU_GRAPH_KERNEL_NODE_PORT_DEFAULT: c_uint = 0;
/// An edge from a kernel that starts when every block has triggered or finished.
pub const CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC: c_uint = 1;
/// An edge from a kernel that starts when every block has started.
pub const CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER: c_uint = 2;
