//! The driver's own stack, as code that knows nothing of this crate uses it.
#![allow(dead_code, reason = "each test file uses a part")]
#![allow(unsafe_code, reason = "plays foreign code that changes the stack behind the crate's back")]

use cuscope::ffi;

/// Returns the context that is current, as the driver says.
pub(crate) fn current() -> ffi::CUcontext {
    let mut top = std::ptr::null_mut();
    // SAFETY: writes one handle to `top`, which is valid for it.
    assert_eq!(unsafe { ffi::cuCtxGetCurrent(&raw mut top) }, ffi::CUDA_SUCCESS);
    top
}

/// Makes a context current, in an entry of its own.
pub(crate) fn push(context: ffi::CUcontext) {
    // SAFETY: the tests pass contexts that are alive.
    assert_eq!(unsafe { ffi::cuCtxPushCurrent_v2(context) }, ffi::CUDA_SUCCESS);
}

/// Takes the top entry away, and gives its context.
pub(crate) fn pop() -> ffi::CUcontext {
    let mut top = std::ptr::null_mut();
    // SAFETY: writes one handle to `top`, which is valid for it. Whose entry it takes is for the tests:
    // they keep to what `SOUNDNESS.md` allows foreign code.
    assert_eq!(unsafe { ffi::cuCtxPopCurrent_v2(&raw mut top) }, ffi::CUDA_SUCCESS);
    top
}

/// Replaces the top entry, or takes it away for null: `cudaSetDevice` and the like.
pub(crate) fn set(context: ffi::CUcontext) {
    // SAFETY: the tests pass contexts that are alive, or null.
    assert_eq!(unsafe { ffi::cuCtxSetCurrent(context) }, ffi::CUDA_SUCCESS);
}

/// Sets the thread's stream capture mode.
pub(crate) fn set_capture_mode(mut mode: ffi::CUstreamCaptureMode) {
    // SAFETY: `mode` is a mode, and swapped for the thread's.
    let code = unsafe { ffi::cuThreadExchangeStreamCaptureMode(&raw mut mode) };
    assert_eq!(code, ffi::CUDA_SUCCESS);
}
