//! Core dumps of the GPU.

use crate::types::*;
use core::ffi::c_void;

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! coredump_newer_functions { ($with:path) => { $with! {
    /// A setting of core dumps in the current context. In: bytes at `value`; out: bytes written.
    12010 fn cuCoredumpGetAttribute(attrib: CUcoredumpSettings, value: *mut c_void, size: *mut usize) -> CUresult;
    /// A setting of core dumps that new contexts take over. In: bytes at `value`; out: bytes written.
    12010 fn cuCoredumpGetAttributeGlobal(attrib: CUcoredumpSettings, value: *mut c_void, size: *mut usize) -> CUresult;
    /// Changes a setting of core dumps in the current context; `size` points to the bytes at `value`.
    12010 fn cuCoredumpSetAttribute(attrib: CUcoredumpSettings, value: *mut c_void, size: *mut usize) -> CUresult;
    /// Changes a setting of core dumps for contexts to come; `size` points to the bytes at `value`.
    12010 fn cuCoredumpSetAttributeGlobal(attrib: CUcoredumpSettings, value: *mut c_void, size: *mut usize) -> CUresult;
    /// Has a function called when a core dump begins.
    13020 fn cuCoredumpRegisterStartCallback(callback: CUcoredumpStatusCallback, userData: *mut c_void, callbackOut: *mut CUcoredumpCallbackHandle) -> CUresult;
    /// Has a function called when a core dump is finished.
    13020 fn cuCoredumpRegisterCompleteCallback(callback: CUcoredumpStatusCallback, userData: *mut c_void, callbackOut: *mut CUcoredumpCallbackHandle) -> CUresult;
    /// Ends the calls that `cuCoredumpRegisterStartCallback` asked for.
    13020 fn cuCoredumpDeregisterStartCallback(callback: CUcoredumpCallbackHandle) -> CUresult;
    /// Ends the calls that `cuCoredumpRegisterCompleteCallback` asked for.
    13020 fn cuCoredumpDeregisterCompleteCallback(callback: CUcoredumpCallbackHandle) -> CUresult;
} } }
coredump_newer_functions!(lookup);
