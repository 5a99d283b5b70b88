//! The driver functions about [`priority`](crate::model::priority).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::model::priority::{GREATEST, LEAST};
use crate::model::{stack, usable};
use crate::{entry, sticky, sync};
use core::ffi::{c_int, c_uint};
use cuscope_sys::*;

driver! {
    /// The priorities that there are; either may be unwanted (F117).
    fn cuCtxGetStreamPriorityRange(leastPriority: *mut c_int, greatestPriority: *mut c_int) [
        needs_current,
    ] {
        let _current = stack::current_life()?;
        entry::write_optional(leastPriority, LEAST);
        entry::write_optional(greatestPriority, GREATEST);
        Ok(())
    }
    /// Creates a stream in the current context, with the nearest priority that there is (F68).
    fn cuStreamCreateWithPriority(phStream: *mut CUstream, flags: c_uint, priority: c_int) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        after_fault,
    ] {
        entry::wanted(phStream)?;
        crate::calls::stream::check_flags(flags)?;
        let current = stack::current()?;
        sticky::check_shown()?;
        crate::calls::stream::create(phStream, current.life()?, flags, priority)
    }
    /// The priority; 0 of default streams.
    fn cuStreamGetPriority(hStream: CUstream, priority: *mut c_int) [
        null(1) = CUDA_ERROR_INVALID_VALUE,
        host_fn,
        zero_is_current(0),
        after_fault_if_zero(&[1]),
    ] {
        entry::wanted(priority)?;
        let target = usable::target(hStream)?;
        let now = sync::lock(&target.queue.attributes).priority;
        entry::write(priority, now)
    }
    /// A number that no other stream has or had; each context has its own default streams (F117).
    fn cuStreamGetId(hStream: CUstream, streamId: *mut u64) [
        null(1) = CUDA_ERROR_INVALID_VALUE,
        host_fn,
        zero_is_current(0),
        after_fault_if_zero(&[1]),
    ] {
        entry::wanted(streamId)?;
        entry::write(streamId, usable::target(hStream)?.queue.id)
    }
    /// The device.
    fn cuStreamGetDevice(hStream: CUstream, device: *mut CUdevice) [
        null(1) = CUDA_ERROR_INVALID_VALUE,
        host_fn,
        zero_is_current(0),
        after_fault_if_zero(&[1]),
    ] {
        entry::wanted(device)?;
        entry::write(device, usable::target(hStream)?.life.device as CUdevice)
    }
}
