//! Events.

use crate::types::*;
use core::ffi::{c_float, c_uint};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! event_functions { ($with:path) => { $with! {
    /// Creates an event in the current context.
    2000 fn cuEventCreate(phEvent: *mut CUevent, Flags: c_uint) -> CUresult;
    /// Destroys an event.
    4000 fn cuEventDestroy_v2(hEvent: CUevent) -> CUresult;
    /// Records an event after what a stream of the same context holds.
    2000 fn cuEventRecord(hEvent: CUevent, hStream: CUstream) -> CUresult;
    /// As `cuEventRecord`; `CU_EVENT_RECORD_EXTERNAL` makes a node of it while the stream is captured.
    11010 fn cuEventRecordWithFlags(hEvent: CUevent, hStream: CUstream, flags: c_uint) -> CUresult;
    /// `CUDA_SUCCESS` if what was recorded is finished, else `CUDA_ERROR_NOT_READY`.
    2000 fn cuEventQuery(hEvent: CUevent) -> CUresult;
    /// Waits until what was recorded is finished.
    2000 fn cuEventSynchronize(hEvent: CUevent) -> CUresult;
    /// Milliseconds between two events.
    2000 fn cuEventElapsedTime(pMilliseconds: *mut c_float, hStart: CUevent, hEnd: CUevent) -> CUresult;
} } }
event_functions!(declare);

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! event_newer_functions { ($with:path) => { $with! {
    /// Milliseconds between two events; need not report errors of work that is pending.
    12080 fn cuEventElapsedTime_v2(pMilliseconds: *mut c_float, hStart: CUevent, hEnd: CUevent) -> CUresult;
} } }
event_newer_functions!(lookup);

// skipped cuEventDestroy: superseded by cuEventDestroy_v2
