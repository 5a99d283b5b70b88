//! Notifications of devices (F493, F494): functions that are told when memory runs over its budget. Nothing here has a
//! budget, so [`control::notify_over_budget`](crate::control::notify_over_budget) tells them.
#![allow(unsafe_code, reason = "the caller's functions are called")]

use crate::model::driver as drivers;
use crate::{entry, sync};
use core::ffi::c_void;
use cuscope_sys::*;
use std::cell::Cell;
use std::ptr;
use std::sync::{Arc, Mutex};

thread_local! {
    /// Whether this thread is in a function that is told.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Such a function registers and unregisters none.
pub(crate) fn permitted() -> entry::Answer {
    if INSIDE.get() { Err(CUDA_ERROR_NOT_PERMITTED) } else { Ok(()) }
}

/// A function that is told.
pub(crate) struct Callback {
    pub(crate) device: usize,
    pub(crate) function:
        unsafe extern "C" fn(*mut CUasyncNotificationInfo, *mut c_void, CUasyncCallbackHandle),
    /// The address for it.
    pub(crate) data: usize,
    /// Held while it runs, and forever once it is unregistered: true then.
    pub(crate) ended: Mutex<bool>,
}

pub(crate) static CALLBACKS: Mutex<Vec<Arc<Callback>>> = Mutex::new(Vec::new());

impl Callback {
    pub(crate) fn handle(self: &Arc<Self>) -> CUasyncCallbackHandle {
        Arc::as_ptr(self).cast_mut().cast()
    }

    /// Calls it, unless it was unregistered.
    fn call(self: &Arc<Self>, bytes: u64) {
        let ended = sync::lock(&self.ended);
        if *ended {
            return;
        }
        let mut info = CUasyncNotificationInfo {
            r#type: CU_ASYNC_NOTIFICATION_TYPE_OVER_BUDGET,
            info: CUasyncNotificationInfo_info {
                overBudget: CUasyncNotificationInfo_info_overBudget { bytesOverBudget: bytes },
            },
        };
        let data = ptr::with_exposed_provenance_mut(self.data);
        // SAFETY: the caller of `cuDeviceRegisterAsyncNotification` promises that the function may be called with its
        // argument, on any thread, until it is unregistered, which waits for this.
        unsafe { (self.function)(&raw mut info, data, self.handle()) };
    }
}

/// Tells all functions of a device, on a thread of their own, that memory is over its budget. Returns when they have
/// returned. How many there were.
pub(crate) fn over_budget(device: usize, bytes: u64) -> usize {
    if !drivers::ready() {
        return 0;
    }
    let all = sync::lock(&CALLBACKS);
    let all: Vec<_> = all.iter().filter(|one| one.device == device).cloned().collect();
    let count = all.len();
    if count > 0 {
        // As with the driver, no thread of the program: the thread has no context.
        let told = std::thread::spawn(move || {
            INSIDE.set(true);
            all.iter().for_each(|one| one.call(bytes));
        });
        let _panicked = told.join();
    }
    count
}
