//! Events.

use crate::CUasyncCallbackHandle;
use core::ffi::{c_uint, c_ulonglong, c_void};

flags! {
    /// How an event is waited for.
    pub struct CUevent_sched_flags: c_uint {
        /// The driver chooses.
        const CU_EVENT_SCHED_AUTO = 0x00;
        /// Spin.
        const CU_EVENT_SCHED_SPIN = 0x01;
        /// Yield.
        const CU_EVENT_SCHED_YIELD = 0x02;
        /// Block the thread.
        const CU_EVENT_SCHED_BLOCKING_SYNC = 0x04;
    }
}

enumeration! {
    /// How an event of OpenCL is waited for.
    pub enum cl_event_flags: c_uint {
        /// The driver chooses.
        NVCL_EVENT_SCHED_AUTO = 0x00,
        /// Spin.
        NVCL_EVENT_SCHED_SPIN = 0x01,
        /// Yield.
        NVCL_EVENT_SCHED_YIELD = 0x02,
        /// Block the thread.
        NVCL_EVENT_SCHED_BLOCKING_SYNC = 0x04,
    }
}

flags! {
    /// The `Flags` of `cuEventCreate`.
    pub struct CUevent_flags: c_uint {
        /// None.
        const CU_EVENT_DEFAULT = 0x0;
        /// A thread that waits for the event blocks instead of spinning.
        const CU_EVENT_BLOCKING_SYNC = 0x1;
        /// The event takes no time stamps.
        const CU_EVENT_DISABLE_TIMING = 0x2;
        /// The event can be shared with other processes; needs `CU_EVENT_DISABLE_TIMING`.
        const CU_EVENT_INTERPROCESS = 0x4;
    }
}

flags! {
    /// The flags of `cuEventRecordWithFlags`.
    pub struct CUevent_record_flags: c_uint {
        /// None.
        const CU_EVENT_RECORD_DEFAULT = 0x0;
        /// When captured: a node that records the event, not a dependency.
        const CU_EVENT_RECORD_EXTERNAL = 0x1;
    }
}

flags! {
    /// The flags of `cuStreamWaitEvent`.
    pub struct CUevent_wait_flags: c_uint {
        /// None.
        const CU_EVENT_WAIT_DEFAULT = 0x0;
        /// When captured: a node that waits for the event, not a dependency.
        const CU_EVENT_WAIT_EXTERNAL = 0x1;
    }
}

enumeration! {
    /// The kind of a notification to a callback of a device.
    pub enum CUasyncNotificationType: c_uint {
        /// The process uses more memory of the device than it should.
        CU_ASYNC_NOTIFICATION_TYPE_OVER_BUDGET = 0x1,
    }
}

/// A notification to a callback of a device.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUasyncNotificationInfo {
    /// Which kind it is.
    pub r#type: CUasyncNotificationType,
    /// The details, by the type.
    pub info: CUasyncNotificationInfo_info,
}

/// The field `info` of [`CUasyncNotificationInfo`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union CUasyncNotificationInfo_info {
    /// Memory over the budget.
    pub overBudget: CUasyncNotificationInfo_info_overBudget,
}

/// The field `overBudget` of [`CUasyncNotificationInfo_info`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUasyncNotificationInfo_info_overBudget {
    /// By how many bytes.
    pub bytesOverBudget: c_ulonglong,
}

/// The current form of [`Option<unsafe extern "C" fn(info: *mut CUasyncNotificationInfo, userData:
/// *mut c_void, callback: CUasyncCallbackHandle)>`].
pub type CUasyncCallback = Option<
    unsafe extern "C" fn(
        info: *mut CUasyncNotificationInfo,
        userData: *mut c_void,
        callback: CUasyncCallbackHandle,
    ),
>;
