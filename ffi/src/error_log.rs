//! The log of errors that the driver keeps.

use crate::types::*;
use core::ffi::{c_char, c_uint, c_void};

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! error_log_newer_functions { ($with:path) => { $with! {
    /// Has a function called for every message; `callback_out` may be null.
    12090 fn cuLogsRegisterCallback(callbackFunc: CUlogsCallback, userData: *mut c_void, callback_out: *mut CUlogsCallbackHandle) -> CUresult;
    /// Ends the calls that `cuLogsRegisterCallback` asked for.
    12090 fn cuLogsUnregisterCallback(callback: CUlogsCallbackHandle) -> CUresult;
    /// The present end of the log, to dump from later; `flags` must be 0.
    12090 fn cuLogsCurrent(iterator_out: *mut CUlogIterator, flags: c_uint) -> CUresult;
    /// Writes the messages since `*iterator`, or all kept if it is null, to a file; `flags` must be 0.
    12090 fn cuLogsDumpToFile(iterator: *mut CUlogIterator, pathToFile: *const c_char, flags: c_uint) -> CUresult;
    /// Writes the messages since `*iterator`, or all kept if it is null. In: bytes of the buffer; out: bytes written, without the NUL.
    12090 fn cuLogsDumpToMemory(iterator: *mut CUlogIterator, buffer: *mut c_char, size: *mut usize, flags: c_uint) -> CUresult;
} } }
error_log_newer_functions!(lookup);
