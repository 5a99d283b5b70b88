//! The driver functions about [`notification`](crate::model::notification).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::model::device;
use crate::model::notification::{CALLBACKS, Callback, permitted};
use crate::{entry, sync};
use core::ffi::c_void;
use cuscope_sys::*;
use std::sync::{Arc, Mutex};

driver! {
    /// Has a function called when memory of a device is over its budget.
    fn cuDeviceRegisterAsyncNotification(
        device: CUdevice,
        callbackFunc: CUasyncCallback,
        userData: *mut c_void,
        callback: *mut CUasyncCallbackHandle,
    ) [host_fn] {
        permitted()?;
        let function = callbackFunc.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let device = device::device(device)?.ordinal;
        entry::wanted(callback)?;
        let data = userData.expose_provenance();
        let new = Arc::new(Callback { device, function, data, ended: Mutex::new(false) });
        entry::write(callback, new.handle())?;
        sync::lock(&CALLBACKS).push(new);
        Ok(())
    }
    /// Ends that, once no thread is in the function.
    fn cuDeviceUnregisterAsyncNotification(device: CUdevice, callback: CUasyncCallbackHandle) [
        host_fn,
    ] {
        permitted()?;
        entry::wanted(callback)?;
        let device = device::device(device)?.ordinal;
        let mut all = sync::lock(&CALLBACKS);
        let is_it = |one: &Arc<Callback>| one.device == device && one.handle() == callback;
        let place = all.iter().position(is_it).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let gone = all.remove(place);
        drop(all);
        *sync::lock(&gone.ended) = true;
        Ok(())
    }
}
