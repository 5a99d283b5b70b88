//! Contexts, and the stack of them that every thread has.

use crate::{CUcontext, CUdevice, CUresult};
use bitflags::bitflags;
use core::ffi::c_uint;
use static_assertions::assert_eq_size;

bitflags! {
    /// How a context behaves: the `flags` of `cuCtxCreate_v2` and `cuDevicePrimaryCtxSetFlags_v2`.
    /// At most one of the four ways to wait (`CU_CTX_SCHED_*`).
    #[repr(transparent)]
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct CUctx_flags: c_uint {
        /// Spin while waiting for the device.
        const CU_CTX_SCHED_SPIN = 0x01;
        /// Yield while waiting for the device.
        const CU_CTX_SCHED_YIELD = 0x02;
        /// Block the thread while waiting for the device.
        const CU_CTX_SCHED_BLOCKING_SYNC = 0x04;
        /// Support mapped page-locked memory; always on since CUDA 11.0.
        const CU_CTX_MAP_HOST = 0x08;
        /// Keep local memory after a launch that needed more.
        const CU_CTX_LMEM_RESIZE_TO_MAX = 0x10;
    }
}
assert_eq_size!(CUctx_flags, c_uint);

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! context_functions {
    ($with:path) => {
        $with! {
            /// Creates a context and pushes it on the calling thread's stack.
            fn cuCtxCreate_v2(pctx: *mut CUcontext, flags: c_uint, dev: CUdevice) -> CUresult;
            /// Destroys a context, wherever it is current; popped from this thread's stack if on top.
            fn cuCtxDestroy_v2(ctx: CUcontext) -> CUresult;
            /// Pushes a context on the calling thread's stack.
            fn cuCtxPushCurrent_v2(ctx: CUcontext) -> CUresult;
            /// Pops the top of the calling thread's stack and says what it was; `pctx` may be null.
            fn cuCtxPopCurrent_v2(pctx: *mut CUcontext) -> CUresult;
            /// Replaces the top of the calling thread's stack; null pops.
            fn cuCtxSetCurrent(ctx: CUcontext) -> CUresult;
            /// The top of the calling thread's stack, or null.
            fn cuCtxGetCurrent(pctx: *mut CUcontext) -> CUresult;
            /// The device of the current context.
            fn cuCtxGetDevice(device: *mut CUdevice) -> CUresult;
            /// The flags of the current context.
            fn cuCtxGetFlags(flags: *mut c_uint) -> CUresult;
            /// A number that no other context of the process has or had; null means the current one. Since 12.0.
            fn cuCtxGetId(ctx: CUcontext, ctxId: *mut u64) -> CUresult;
            /// The version of the interface that a context was created with; null means the current one.
            fn cuCtxGetApiVersion(ctx: CUcontext, version: *mut c_uint) -> CUresult;
            /// Waits until everything in the current context is finished.
            fn cuCtxSynchronize() -> CUresult;
        }
    };
}
context_functions!(declare);
