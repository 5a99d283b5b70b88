//! The driver itself, as foreign code uses it.
#![allow(unsafe_code, reason = "plays foreign code that changes the stack behind the crate's back")]

use cuscope::ffi;

/// What is current.
pub(crate) fn current() -> ffi::CUcontext {
    let mut top = std::ptr::null_mut();
    // SAFETY: writes one handle to `top`, which is valid for it.
    assert_eq!(unsafe { ffi::cuCtxGetCurrent(&raw mut top) }, ffi::CUDA_SUCCESS);
    top
}

pub(crate) fn push(context: ffi::CUcontext) {
    // SAFETY: the programs pass contexts that are alive.
    assert_eq!(unsafe { ffi::cuCtxPushCurrent_v2(context) }, ffi::CUDA_SUCCESS);
}

pub(crate) fn pop() -> ffi::CUcontext {
    let mut top = std::ptr::null_mut();
    // SAFETY: writes one handle to `top`, which is valid for it. Whose entry it takes is for the
    // programs: they keep to what `SOUNDNESS.md` allows foreign code.
    assert_eq!(unsafe { ffi::cuCtxPopCurrent_v2(&raw mut top) }, ffi::CUDA_SUCCESS);
    top
}

pub(crate) fn set(context: ffi::CUcontext) {
    // SAFETY: the programs pass contexts that are alive, or null.
    assert_eq!(unsafe { ffi::cuCtxSetCurrent(context) }, ffi::CUDA_SUCCESS);
}
