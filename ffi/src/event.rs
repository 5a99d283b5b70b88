//! Events.

use crate::{CUevent, CUresult, CUstream};
use bitflags::bitflags;
use core::ffi::{c_float, c_uint};
use static_assertions::assert_eq_size;

bitflags! {
    /// The `Flags` of `cuEventCreate`.
    #[repr(transparent)]
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct CUevent_flags: c_uint {
        /// A thread that waits for the event blocks instead of spinning.
        const CU_EVENT_BLOCKING_SYNC = 0x1;
        /// The event takes no time stamps.
        const CU_EVENT_DISABLE_TIMING = 0x2;
        /// The event can be shared with other processes; needs `CU_EVENT_DISABLE_TIMING`.
        const CU_EVENT_INTERPROCESS = 0x4;
    }
}
assert_eq_size!(CUevent_flags, c_uint);

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! event_functions { ($with:path) => { $with! {
    /// Creates an event in the current context.
    fn cuEventCreate(phEvent: *mut CUevent, Flags: c_uint) -> CUresult;
    /// Destroys an event.
    fn cuEventDestroy_v2(hEvent: CUevent) -> CUresult;
    /// Records an event behind what a stream of the same context holds.
    fn cuEventRecord(hEvent: CUevent, hStream: CUstream) -> CUresult;
    /// `CUDA_SUCCESS` if what was recorded is finished, else `CUDA_ERROR_NOT_READY`.
    fn cuEventQuery(hEvent: CUevent) -> CUresult;
    /// Waits until what was recorded is finished.
    fn cuEventSynchronize(hEvent: CUevent) -> CUresult;
    /// Milliseconds between two events.
    fn cuEventElapsedTime(pMilliseconds: *mut c_float, hStart: CUevent, hEnd: CUevent) -> CUresult;
} } }
event_functions!(declare);
