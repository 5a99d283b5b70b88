//! Green contexts: contexts with a share of a device, and the resources to be shared out.

use crate::types::*;
use core::ffi::{c_int, c_uint};

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! green_context_newer_functions { ($with:path) => { $with! {
    /// Creates a green context with the resources described; `flags` must have `CU_GREEN_CTX_DEFAULT_STREAM`.
    12040 fn cuGreenCtxCreate(phCtx: *mut CUgreenCtx, desc: CUdevResourceDesc, dev: CUdevice, flags: c_uint) -> CUresult;
    /// Destroys a green context.
    12040 fn cuGreenCtxDestroy(hCtx: CUgreenCtx) -> CUresult;
    /// A number that no other green context of the process has.
    12090 fn cuGreenCtxGetId(greenCtx: CUgreenCtx, greenCtxId: *mut u64) -> CUresult;
    /// The resources of one type that a green context has.
    12040 fn cuGreenCtxGetDevResource(hCtx: CUgreenCtx, resource: *mut CUdevResource, type_: CUdevResourceType) -> CUresult;
    /// Records an event after all that a green context holds.
    12040 fn cuGreenCtxRecordEvent(hCtx: CUgreenCtx, hEvent: CUevent) -> CUresult;
    /// Makes all that comes next in a green context wait for an event.
    12040 fn cuGreenCtxWaitEvent(hCtx: CUgreenCtx, hEvent: CUevent) -> CUresult;
    /// Creates a stream in a green context; `flags` must have `CU_STREAM_NON_BLOCKING`.
    12050 fn cuGreenCtxStreamCreate(phStream: *mut CUstream, greenCtx: CUgreenCtx, flags: c_uint, priority: c_int) -> CUresult;
    /// A green context as a context, to be made current; it belongs to the green one.
    12040 fn cuCtxFromGreenCtx(pContext: *mut CUcontext, hCtx: CUgreenCtx) -> CUresult;
    /// The green context that a stream was created in, or null.
    12040 fn cuStreamGetGreenCtx(hStream: CUstream, phCtx: *mut CUgreenCtx) -> CUresult;
    /// The resources of one type that a device has.
    12040 fn cuDeviceGetDevResource(device: CUdevice, resource: *mut CUdevResource, type_: CUdevResourceType) -> CUresult;
    /// The resources of one type that a context has.
    12040 fn cuCtxGetDevResource(hCtx: CUcontext, resource: *mut CUdevResource, type_: CUdevResourceType) -> CUresult;
    /// The resources of one type that a stream has.
    13010 fn cuStreamGetDevResource(hStream: CUstream, resource: *mut CUdevResource, type_: CUdevResourceType) -> CUresult;
    /// Splits multiprocessors into groups of at least `minCount`. In: groups wanted; out: groups made.
    12040 fn cuDevSmResourceSplitByCount(result: *mut CUdevResource, nbGroups: *mut c_uint, input: *const CUdevResource, remainder: *mut CUdevResource, flags: c_uint, minCount: c_uint) -> CUresult;
    /// Splits multiprocessors into `nbGroups` groups, each after its own parameters; what is over goes to `remainder`, which may be null.
    13010 fn cuDevSmResourceSplit(result: *mut CUdevResource, nbGroups: c_uint, input: *const CUdevResource, remainder: *mut CUdevResource, flags: c_uint, groupParams: *mut CU_DEV_SM_RESOURCE_GROUP_PARAMS) -> CUresult;
    /// Describes `nbResources` resources for `cuGreenCtxCreate`.
    12040 fn cuDevResourceGenerateDesc(phDesc: *mut CUdevResourceDesc, resources: *mut CUdevResource, nbResources: c_uint) -> CUresult;
} } }
green_context_newer_functions!(lookup);
