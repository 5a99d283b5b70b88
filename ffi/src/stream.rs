//! Streams, and the capture mode of a thread.

use crate::{CUcontext, CUevent, CUresult, CUstream};
use bitflags::bitflags;
use core::ffi::c_uint;
use static_assertions::assert_eq_size;

bitflags! {
    /// The `Flags` of `cuStreamCreate`.
    #[repr(transparent)]
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct CUstream_flags: c_uint {
        /// No implicit order with the legacy default stream.
        const CU_STREAM_NON_BLOCKING = 0x1;
    }
}
assert_eq_size!(CUstream_flags, c_uint);

enumeration! {
    /// What a capture forbids, and to whom.
    pub enum CUstreamCaptureMode: c_uint {
        /// Unsafe calls are refused in every thread.
        CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
        /// Unsafe calls are refused in the capturing thread.
        CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
        /// Nothing is refused for the sake of a capture.
        CU_STREAM_CAPTURE_MODE_RELAXED = 2,
    }
}

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! stream_functions {
    ($with:path) => {
        $with! {
            /// Creates a stream in the current context.
            fn cuStreamCreate(phStream: *mut CUstream, Flags: c_uint) -> CUresult;
            /// Destroys a stream; its work still finishes.
            fn cuStreamDestroy_v2(hStream: CUstream) -> CUresult;
            /// Waits until everything in a stream is finished.
            fn cuStreamSynchronize(hStream: CUstream) -> CUresult;
            /// `CUDA_SUCCESS` if everything in a stream is finished, else `CUDA_ERROR_NOT_READY`.
            fn cuStreamQuery(hStream: CUstream) -> CUresult;
            /// The flags of a stream.
            fn cuStreamGetFlags(hStream: CUstream, flags: *mut c_uint) -> CUresult;
            /// The context of a stream.
            fn cuStreamGetCtx(hStream: CUstream, pctx: *mut CUcontext) -> CUresult;
            /// Makes what comes next in a stream wait for an event.
            fn cuStreamWaitEvent(hStream: CUstream, hEvent: CUevent, Flags: c_uint) -> CUresult;
            /// Swaps the calling thread's capture mode with `*mode`.
            fn cuThreadExchangeStreamCaptureMode(mode: *mut CUstreamCaptureMode) -> CUresult;
        }
    };
}
stream_functions!(declare);
