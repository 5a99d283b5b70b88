//! Handles, addresses and the aliases that every group uses.

use core::ffi::{c_char, c_int, c_ulonglong, c_void};
use static_assertions::{assert_eq_align, assert_eq_size, assert_not_impl_any, const_assert_eq};

/// A 32-bit unsigned integer.
pub type cuuint32_t = u32;

/// A 64-bit unsigned integer.
pub type cuuint64_t = u64;

/// An address in device memory. An integer: the host never follows it.
pub type CUdeviceptr_v2 = u64;

/// An address in device memory. An integer: the host never follows it.
pub type CUdeviceptr = CUdeviceptr_v2;

/// A device, by ordinal.
pub type CUdevice_v1 = c_int;

/// A device, by ordinal.
pub type CUdevice = CUdevice_v1;

handles! {
    /// A context.
    CUcontext -> CUctx_st;
    /// A loaded module.
    CUmodule -> CUmod_st;
    /// A kernel in a loaded module.
    CUfunction -> CUfunc_st;
    /// A library: code that is loaded for every context.
    CUlibrary -> CUlib_st;
    /// A kernel of a library.
    CUkernel -> CUkern_st;
    /// An array: memory in an order of the device's own, for textures and surfaces.
    CUarray -> CUarray_st;
    /// An array with smaller copies of itself.
    CUmipmappedArray -> CUmipmappedArray_st;
    /// A texture reference of a module.
    CUtexref -> CUtexref_st;
    /// A surface reference of a module.
    CUsurfref -> CUsurfref_st;
    /// An event.
    CUevent -> CUevent_st;
    /// A stream; null is the default stream of the current context.
    CUstream -> CUstream_st;
    /// A resource of a graphics interface.
    CUgraphicsResource -> CUgraphicsResource_st;
}

/// A texture, as a kernel takes it.
pub type CUtexObject_v1 = c_ulonglong;

/// A texture, as a kernel takes it.
pub type CUtexObject = CUtexObject_v1;

/// A surface, as a kernel takes it.
pub type CUsurfObject_v1 = c_ulonglong;

/// A surface, as a kernel takes it.
pub type CUsurfObject = CUsurfObject_v1;

handles! {
    /// Memory imported from another interface.
    CUexternalMemory -> CUextMemory_st;
    /// A semaphore imported from another interface.
    CUexternalSemaphore -> CUextSemaphore_st;
    /// A graph under construction.
    CUgraph -> CUgraph_st;
    /// A node of a graph.
    CUgraphNode -> CUgraphNode_st;
    /// An instantiated graph.
    CUgraphExec -> CUgraphExec_st;
    /// A pool of memory.
    CUmemoryPool -> CUmemPoolHandle_st;
    /// An object of the program that graphs keep alive.
    CUuserObject -> CUuserObject_st;
    /// A kernel node that device code can update.
    CUgraphDeviceNode -> CUgraphDeviceUpdatableNode_st;
    /// A callback that is registered with a device.
    CUasyncCallbackHandle -> CUasyncCallbackEntry_st;
    /// A green context: a context with a share of a device.
    CUgreenCtx -> CUgreenCtx_st;
}

/// The identity of a device, the same in every process and after every restart.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CUuuid {
    /// The 16 bytes.
    pub bytes: [c_char; 16],
}

handles! {
    /// A linker at work.
    CUlinkState -> CUlinkState_st;
}

/// A function that a stream runs on the host: `cuLaunchHostFunc`.
pub type CUhostFn = Option<unsafe extern "C" fn(userData: *mut c_void)>;

handles! {
    /// A checkpoint or restore that is under way.
    CUcheckpointOperationHandle -> CUIcheckpointOperation_st;
    /// A callback that is registered for core dumps.
    CUcoredumpCallbackHandle -> CUcoredumpCallbackEntry_st;
    /// A description of resources for a green context.
    CUdevResourceDesc -> CUdevResourceDesc_st;
    /// A callback that is registered for the log.
    CUlogsCallbackHandle -> CUlogsCallbackEntry_st;
}

// The layout that cuda.h gives these on every supported platform (all are 64-bit).
assert_eq_size!(CUcontext, usize);
assert_eq_size!(CUdeviceptr, [u8; 8]);
assert_eq_size!(CUhostFn, usize);
assert_eq_size!(CUuuid, [u8; 16]);
assert_eq_align!(CUuuid, u8);
const_assert_eq!(size_of::<c_int>(), 4);
// Who may use a handle from which thread is for a safe layer to say.
assert_not_impl_any!(CUcontext: Send, Sync);
assert_not_impl_any!(CUctx_st: Send, Sync, Unpin);
