//! Contexts, and the stack of them that every thread has.

use crate::types::*;
use core::ffi::{c_int, c_uint};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! context_functions { ($with:path) => { $with! {
    /// Creates a context and pushes it on the calling thread's stack.
    3020 fn cuCtxCreate_v2(pctx: *mut CUcontext, flags: c_uint, dev: CUdevice) -> CUresult;
    /// Creates a context with `numParams` execution affinities and pushes it on the calling thread's stack.
    11040 fn cuCtxCreate_v3(pctx: *mut CUcontext, paramsArray: *mut CUexecAffinityParam, numParams: c_int, flags: c_uint, dev: CUdevice) -> CUresult;
    /// Destroys a context, wherever it is current; popped from this thread's stack if on top.
    4000 fn cuCtxDestroy_v2(ctx: CUcontext) -> CUresult;
    /// Pushes a context on the calling thread's stack.
    4000 fn cuCtxPushCurrent_v2(ctx: CUcontext) -> CUresult;
    /// Pops the top of the calling thread's stack and says what it was; `pctx` may be null.
    4000 fn cuCtxPopCurrent_v2(pctx: *mut CUcontext) -> CUresult;
    /// Replaces the top of the calling thread's stack; null pops.
    4000 fn cuCtxSetCurrent(ctx: CUcontext) -> CUresult;
    /// The top of the calling thread's stack, or null.
    4000 fn cuCtxGetCurrent(pctx: *mut CUcontext) -> CUresult;
    /// The device of the current context.
    2000 fn cuCtxGetDevice(device: *mut CUdevice) -> CUresult;
    /// The flags of the current context.
    7000 fn cuCtxGetFlags(flags: *mut c_uint) -> CUresult;
    /// A number that no other context of the process has or had; null means the current one.
    12000 fn cuCtxGetId(ctx: CUcontext, ctxId: *mut u64) -> CUresult;
    /// The version of the interface that a context was created with; null means the current one.
    3020 fn cuCtxGetApiVersion(ctx: CUcontext, version: *mut c_uint) -> CUresult;
    /// Waits until everything in the current context is finished.
    2000 fn cuCtxSynchronize() -> CUresult;
    /// Asks for a limit of the current context; the driver may round it. What `value` counts depends on the limit.
    3010 fn cuCtxSetLimit(limit: CUlimit, value: usize) -> CUresult;
    /// A limit of the current context.
    3010 fn cuCtxGetLimit(pvalue: *mut usize, limit: CUlimit) -> CUresult;
    /// The preferred split of L1 cache and shared memory in the current context.
    3020 fn cuCtxGetCacheConfig(pconfig: *mut CUfunc_cache) -> CUresult;
    /// Prefers a split of L1 cache and shared memory for the kernels of the current context.
    3020 fn cuCtxSetCacheConfig(config: CUfunc_cache) -> CUresult;
    /// The priorities that streams of the current context can have: lower numbers go first. Both are 0 where there are none.
    5050 fn cuCtxGetStreamPriorityRange(leastPriority: *mut c_int, greatestPriority: *mut c_int) -> CUresult;
    /// Makes every persisting line of the L2 cache a normal one.
    11000 fn cuCtxResetPersistingL2Cache() -> CUresult;
    /// The execution affinity of the current context, of the kind asked for.
    11040 fn cuCtxGetExecAffinity(pExecAffinity: *mut CUexecAffinityParam, type_: CUexecAffinityType) -> CUresult;
    /// The size of the shared memory's banks in the current context. Deprecated.
    4020 fn cuCtxGetSharedMemConfig(pConfig: *mut CUsharedconfig) -> CUresult;
    /// Asks for a size of the shared memory's banks in the current context; devices since Maxwell have one
    /// only. Deprecated.
    4020 fn cuCtxSetSharedMemConfig(config: CUsharedconfig) -> CUresult;
} } }
context_functions!(declare);

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! context_newer_functions { ($with:path) => { $with! {
    /// Creates a context with parameters, which may be null, and pushes it on the calling thread's stack.
    12050 fn cuCtxCreate_v4(pctx: *mut CUcontext, ctxCreateParams: *mut CUctxCreateParams, flags: c_uint, dev: CUdevice) -> CUresult;
    /// The device of a context; null means the current one.
    13000 fn cuCtxGetDevice_v2(device: *mut CUdevice, ctx: CUcontext) -> CUresult;
    /// Replaces the flags of the current context.
    12010 fn cuCtxSetFlags(flags: c_uint) -> CUresult;
    /// Waits until everything in a context is finished; null means the current one.
    13000 fn cuCtxSynchronize_v2(ctx: CUcontext) -> CUresult;
    /// Records an event after what a context holds at the time of the call, in all its streams.
    12050 fn cuCtxRecordEvent(hCtx: CUcontext, hEvent: CUevent) -> CUresult;
    /// Makes all that comes next in a context wait for an event.
    12050 fn cuCtxWaitEvent(hCtx: CUcontext, hEvent: CUevent) -> CUresult;
} } }
context_newer_functions!(lookup);

// skipped cuCtxCreate: superseded by cuCtxCreate_v2
// skipped cuCtxDestroy: superseded by cuCtxDestroy_v2
// skipped cuCtxPushCurrent: superseded by cuCtxPushCurrent_v2
// skipped cuCtxPopCurrent: superseded by cuCtxPopCurrent_v2
// skipped cuCtxAttach: deprecated since CUDA 4.0; use the primary context
// skipped cuCtxDetach: deprecated since CUDA 4.0; use cuCtxDestroy_v2 or the primary context
