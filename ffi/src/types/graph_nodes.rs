//! The parameters of the nodes of a graph.

use crate::{
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
    CUDA_FABRIC_COPY_BATCH_OP, CUDA_MEMCPY3D, CUcontext, CUdeviceptr, CUevent, CUexternalSemaphore,
    CUfunction, CUgraph, CUgraphChildGraphNodeOwnership, CUgraphConditionalHandle,
    CUgraphConditionalNodeType, CUgreenCtx, CUhostFn, CUkernel, CUmemAccessDesc, CUmemPoolProps,
    CUmemcpyAttributes, CUstreamBatchMemOpParams,
};
use core::ffi::{c_int, c_uint, c_ulonglong, c_void};

/// A batch of operations on memory as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1 {
    /// The context; null for the current one.
    pub ctx: CUcontext,
    /// How many operations.
    pub count: c_uint,
    /// The operations.
    pub paramArray: *mut CUstreamBatchMemOpParams,
    /// Flags; zero for none.
    pub flags: c_uint,
}

/// A batch of operations on memory as a node of a graph.
pub type CUDA_BATCH_MEM_OP_NODE_PARAMS = CUDA_BATCH_MEM_OP_NODE_PARAMS_v1;

/// A batch of operations on memory as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 {
    /// The context; null for the current one.
    pub ctx: CUcontext,
    /// How many operations.
    pub count: c_uint,
    /// The operations.
    pub paramArray: *mut CUstreamBatchMemOpParams,
    /// Flags; zero for none.
    pub flags: c_uint,
}

/// A kernel as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_KERNEL_NODE_PARAMS_v1 {
    /// The function; null if `kern` is given.
    pub func: CUfunction,
    /// Blocks of the grid in x.
    pub gridDimX: c_uint,
    /// Blocks of the grid in y.
    pub gridDimY: c_uint,
    /// Blocks of the grid in z.
    pub gridDimZ: c_uint,
    /// Threads of a block in x.
    pub blockDimX: c_uint,
    /// Threads of a block in y.
    pub blockDimY: c_uint,
    /// Threads of a block in z.
    pub blockDimZ: c_uint,
    /// Dynamic shared memory of a block, in bytes.
    pub sharedMemBytes: c_uint,
    /// A pointer to each parameter.
    pub kernelParams: *mut *mut c_void,
    /// The parameters as one buffer: `CU_LAUNCH_PARAM_…`.
    pub extra: *mut *mut c_void,
}

/// A kernel as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_KERNEL_NODE_PARAMS_v2 {
    /// The function; null if `kern` is given.
    pub func: CUfunction,
    /// Blocks of the grid in x.
    pub gridDimX: c_uint,
    /// Blocks of the grid in y.
    pub gridDimY: c_uint,
    /// Blocks of the grid in z.
    pub gridDimZ: c_uint,
    /// Threads of a block in x.
    pub blockDimX: c_uint,
    /// Threads of a block in y.
    pub blockDimY: c_uint,
    /// Threads of a block in z.
    pub blockDimZ: c_uint,
    /// Dynamic shared memory of a block, in bytes.
    pub sharedMemBytes: c_uint,
    /// A pointer to each parameter.
    pub kernelParams: *mut *mut c_void,
    /// The parameters as one buffer: `CU_LAUNCH_PARAM_…`.
    pub extra: *mut *mut c_void,
    /// The kernel of a library; null if `func` is given.
    pub kern: CUkernel,
    /// The context; null for the current one.
    pub ctx: CUcontext,
}

/// A kernel as a node of a graph.
pub type CUDA_KERNEL_NODE_PARAMS = CUDA_KERNEL_NODE_PARAMS_v2;

/// A kernel as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_KERNEL_NODE_PARAMS_v3 {
    /// The function; null if `kern` is given.
    pub func: CUfunction,
    /// Blocks of the grid in x.
    pub gridDimX: c_uint,
    /// Blocks of the grid in y.
    pub gridDimY: c_uint,
    /// Blocks of the grid in z.
    pub gridDimZ: c_uint,
    /// Threads of a block in x.
    pub blockDimX: c_uint,
    /// Threads of a block in y.
    pub blockDimY: c_uint,
    /// Threads of a block in z.
    pub blockDimZ: c_uint,
    /// Dynamic shared memory of a block, in bytes.
    pub sharedMemBytes: c_uint,
    /// A pointer to each parameter.
    pub kernelParams: *mut *mut c_void,
    /// The parameters as one buffer: `CU_LAUNCH_PARAM_…`.
    pub extra: *mut *mut c_void,
    /// The kernel of a library; null if `func` is given.
    pub kern: CUkernel,
    /// The context; null for the current one.
    pub ctx: CUcontext,
}

/// A fill of memory as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CUDA_MEMSET_NODE_PARAMS_v1 {
    /// Where to write.
    pub dst: CUdeviceptr,
    /// Bytes from one row to the next; without meaning for a single row.
    pub pitch: usize,
    /// The value to write.
    pub value: c_uint,
    /// Bytes of an element: 1, 2 or 4.
    pub elementSize: c_uint,
    /// Elements of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// A fill of memory as a node of a graph.
pub type CUDA_MEMSET_NODE_PARAMS = CUDA_MEMSET_NODE_PARAMS_v1;

/// A fill of memory as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_MEMSET_NODE_PARAMS_v2 {
    /// Where to write.
    pub dst: CUdeviceptr,
    /// Bytes from one row to the next; without meaning for a single row.
    pub pitch: usize,
    /// The value to write.
    pub value: c_uint,
    /// Bytes of an element: 1, 2 or 4.
    pub elementSize: c_uint,
    /// Elements of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The context; null for the current one.
    pub ctx: CUcontext,
}

/// A function of the host as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_HOST_NODE_PARAMS_v1 {
    /// The function.
    pub r#fn: CUhostFn,
    /// Handed to the function.
    pub userData: *mut c_void,
}

/// A function of the host as a node of a graph.
pub type CUDA_HOST_NODE_PARAMS = CUDA_HOST_NODE_PARAMS_v1;

/// A function of the host as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_HOST_NODE_PARAMS_v2 {
    /// The function.
    pub r#fn: CUhostFn,
    /// Handed to the function.
    pub userData: *mut c_void,
    /// How to wait: a `CUhostTaskSyncMode`.
    pub syncMode: c_uint,
    /// The union that has no name in C.
    pub anonymous: CUDA_HOST_NODE_PARAMS_v2_anonymous,
}

/// The union without a name in [`CUDA_HOST_NODE_PARAMS_v2`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUDA_HOST_NODE_PARAMS_v2_anonymous {
    /// The context; null for the current one.
    pub ctx: CUcontext,
    /// The green context.
    pub gCtx: CUgreenCtx,
}

/// A conditional node of a graph.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_CONDITIONAL_NODE_PARAMS {
    /// The condition.
    pub handle: CUgraphConditionalHandle,
    /// The kind of condition.
    pub r#type: CUgraphConditionalNodeType,
    /// How many graphs the node has.
    pub size: c_uint,
    /// Out: the graphs of the node, which belong to it.
    pub phGraph_out: *mut CUgraph,
    /// The context; null for the current one.
    pub ctx: CUcontext,
}

/// A copy as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_MEMCPY_NODE_PARAMS {
    /// Zero.
    pub flags: c_int,
    /// Reserved; zero.
    pub reserved: c_int,
    /// The context to copy in.
    pub copyCtx: CUcontext,
    /// The copy.
    pub copyParams: CUDA_MEMCPY3D,
}

/// A signal to imported semaphores as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1 {
    /// The semaphores.
    pub extSemArray: *mut CUexternalSemaphore,
    /// The parameters of each semaphore.
    pub paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
    /// How many semaphores.
    pub numExtSems: c_uint,
}

/// A signal to imported semaphores as a node of a graph.
pub type CUDA_EXT_SEM_SIGNAL_NODE_PARAMS = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1;

/// A signal to imported semaphores as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 {
    /// The semaphores.
    pub extSemArray: *mut CUexternalSemaphore,
    /// The parameters of each semaphore.
    pub paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
    /// How many semaphores.
    pub numExtSems: c_uint,
    /// The union that has no name in C.
    pub anonymous: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_anonymous,
}

/// The union without a name in [`CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_anonymous {
    /// The context; null for the current one.
    pub ctx: CUcontext,
    /// The green context.
    pub gCtx: CUgreenCtx,
}

/// A wait for imported semaphores as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1 {
    /// The semaphores.
    pub extSemArray: *mut CUexternalSemaphore,
    /// The parameters of each semaphore.
    pub paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
    /// How many semaphores.
    pub numExtSems: c_uint,
}

/// A wait for imported semaphores as a node of a graph.
pub type CUDA_EXT_SEM_WAIT_NODE_PARAMS = CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1;

/// A wait for imported semaphores as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 {
    /// The semaphores.
    pub extSemArray: *mut CUexternalSemaphore,
    /// The parameters of each semaphore.
    pub paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
    /// How many semaphores.
    pub numExtSems: c_uint,
    /// The union that has no name in C.
    pub anonymous: CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_anonymous,
}

/// The union without a name in [`CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_anonymous {
    /// The context; null for the current one.
    pub ctx: CUcontext,
    /// The green context.
    pub gCtx: CUgreenCtx,
}

/// An allocation as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_MEM_ALLOC_NODE_PARAMS_v1 {
    /// The properties of the memory.
    pub poolProps: CUmemPoolProps,
    /// Which other devices may access the memory.
    pub accessDescs: *const CUmemAccessDesc,
    /// How many those are.
    pub accessDescCount: usize,
    /// Bytes.
    pub bytesize: usize,
    /// The memory.
    pub dptr: CUdeviceptr,
}

/// An allocation as a node of a graph.
pub type CUDA_MEM_ALLOC_NODE_PARAMS = CUDA_MEM_ALLOC_NODE_PARAMS_v1;

/// An allocation as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_MEM_ALLOC_NODE_PARAMS_v2 {
    /// The properties of the memory.
    pub poolProps: CUmemPoolProps,
    /// Which other devices may access the memory.
    pub accessDescs: *const CUmemAccessDesc,
    /// How many those are.
    pub accessDescCount: usize,
    /// Bytes.
    pub bytesize: usize,
    /// The memory.
    pub dptr: CUdeviceptr,
}

/// A free as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_MEM_FREE_NODE_PARAMS {
    /// The memory.
    pub dptr: CUdeviceptr,
}

/// A graph as a node of another.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_CHILD_GRAPH_NODE_PARAMS {
    /// The graph.
    pub graph: CUgraph,
    /// Who owns the graph.
    pub ownership: CUgraphChildGraphNodeOwnership,
}

/// The record of an event as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_EVENT_RECORD_NODE_PARAMS {
    /// The event.
    pub event: CUevent,
    /// The union that has no name in C.
    pub anonymous: CUDA_EVENT_RECORD_NODE_PARAMS_anonymous,
}

/// The union without a name in [`CUDA_EVENT_RECORD_NODE_PARAMS`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUDA_EVENT_RECORD_NODE_PARAMS_anonymous {
    /// The context; null for the current one.
    pub ctx: CUcontext,
    /// The green context.
    pub gCtx: CUgreenCtx,
}

/// A wait for an event as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_EVENT_WAIT_NODE_PARAMS {
    /// The event.
    pub event: CUevent,
}

/// A batch of copies as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_MEMCPY_BATCH_NODE_PARAMS_V1 {
    /// How many copies.
    pub count: usize,
    /// The destinations.
    pub dsts: *mut CUdeviceptr,
    /// The sources.
    pub srcs: *mut CUdeviceptr,
    /// The sizes in bytes.
    pub sizes: *mut usize,
    /// The attributes.
    pub attrs: *mut CUmemcpyAttributes,
    /// The first copy that each attribute is for.
    pub attrsIdxs: *mut usize,
    /// How many attributes.
    pub numAttrs: usize,
    /// The union that has no name in C.
    pub anonymous: CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_anonymous,
}

/// The union without a name in [`CUDA_MEMCPY_BATCH_NODE_PARAMS_V1`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_anonymous {
    /// The context; null for the current one.
    pub ctx: CUcontext,
    /// The green context.
    pub gCtx: CUgreenCtx,
}

/// A batch of copies as a node of a graph.
pub type CUDA_MEMCPY_BATCH_NODE_PARAMS = CUDA_MEMCPY_BATCH_NODE_PARAMS_V1;

/// A batch of copies over the fabric as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1 {
    /// How many copies.
    pub numOps: usize,
    /// The copies.
    pub opList: *mut CUDA_FABRIC_COPY_BATCH_OP,
    /// Zero.
    pub flags: c_ulonglong,
    /// The union that has no name in C.
    pub anonymous: CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_anonymous,
}

/// The union without a name in [`CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_anonymous {
    /// The context; null for the current one.
    pub ctx: CUcontext,
    /// The green context.
    pub gCtx: CUgreenCtx,
}

/// A batch of copies over the fabric as a node of a graph.
pub type CUDA_FABRIC_CPY_BATCH_NODE_PARAMS = CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1;
