//! Notifications of devices whose memory is over its budget.
#![allow(unsafe_code, reason = "hands a function to the driver, and reads what it tells")]

use crate::call::{answer, name};
use crate::device::Device;
use crate::driver::fork;
use crate::driver::release::{contained, drop_contained, not_inside, report};
use crate::error::{Error, Result};
use crate::sync::thread_flag;
use ffi::{CUasyncCallbackHandle, CUasyncNotificationInfo};
use static_assertions::assert_impl_all;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};
use std::{fmt, mem, ptr};

type Function = dyn Fn(u64) + Send + Sync;

/// The functions of the hooks that are alive, by the numbers that the driver has for them. The manual does not say whether
/// the driver waits for a function when its registration is ended, so the driver has no pointer to one.
static FUNCTIONS: Mutex<Functions> =
    Mutex::new(Functions { last: 0, alive: BTreeMap::new(), ended: Vec::new() });

struct Functions {
    last: usize,
    alive: BTreeMap<usize, Arc<Box<Function>>>,
    /// Registrations whose end the driver refused, because a function ran on that thread.
    ended: Vec<Registration>,
}

thread_flag! {
    /// Whether this thread runs a function of a hook.
    static INSIDE;
}

/// The driver's side of a hook.
struct Registration {
    handle: CUasyncCallbackHandle,
    device: Device,
}
// SAFETY: the handle only names the registration, which the driver ends on any thread (F493).
unsafe impl Send for Registration {}

/// A function that is told when memory of a device is over its budget, from [`on_over_budget`]. Dropping it removes the
/// hook. If another thread runs the function at that moment, it is dropped behind that.
#[must_use = "the function is called until this is dropped"]
pub struct OverBudgetHook {
    number: usize,
    handle: CUasyncCallbackHandle,
    device: Device,
}
assert_impl_all!(OverBudgetHook: Send, Sync);
// SAFETY: the driver ends a registration on any thread (F493), and the function may be dropped on any: it is `Send`.
unsafe impl Send for OverBudgetHook {}
// SAFETY: nothing can be done with a shared reference.
unsafe impl Sync for OverBudgetHook {}

/// Registers a function that the driver calls when the process has allocated more memory of the device than its budget, with
/// the number of bytes over it.
///
/// The system sets the budget, such as one that several processes share. You can register any number of functions. Requires a
/// driver of CUDA 12.4 or later.
///
/// The function runs on a thread of the driver, with no context current, and possibly on several threads at the same time.
/// It should return within about 10 ms: let another thread free memory. A hook that is created inside it is refused with
/// [`InvalidArgument`](Error::InvalidArgument), as the driver permits none there. If the function panics, the panic is caught
/// and goes no further.
///
/// # Errors
/// [`NeedsDriver`](Error::NeedsDriver); `CUDA_ERROR_NOT_PERMITTED`.
///
/// # Examples
/// ```
/// use cuscope::Device;
/// use cuscope::diagnostics::on_over_budget;
///
/// # fn main() -> cuscope::Result {
/// # let version = cuscope::driver_version()?;
/// # if (version.major, version.minor) < (12, 4) { return Ok(()) }
/// let (send, receive) = std::sync::mpsc::channel();
/// let hook = on_over_budget(Device::get(0)?, move |bytes| drop(send.send(bytes)))?;
/// // A thread of the program frees as many bytes as it receives.
/// drop(hook);
/// assert!(receive.recv().is_err());
/// # Ok(()) }
/// ```
#[doc(alias = "cuDeviceRegisterAsyncNotification")]
pub fn on_over_budget(
    device: Device,
    function: impl Fn(u64) + Send + Sync + 'static,
) -> Result<OverBudgetHook> {
    const CALL: &str = name!(cuDeviceRegisterAsyncNotification);
    let register = ffi::cuDeviceRegisterAsyncNotification()?;
    // In the child of a fork, the error that the driver returns there.
    crate::driver::init()?;
    if INSIDE.try_with(Cell::get).unwrap_or(true) {
        let reason = "the driver registers no function inside one that it notifies: register it on another thread";
        return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
    }
    end_registrations();
    let number = with_functions(|functions| {
        functions.last += 1;
        functions.alive.insert(functions.last, Arc::new(Box::new(function)));
        functions.last
    });
    // Never: this is no child of a fork.
    let number = number.unwrap_or(0);
    let (mut handle, data) = (ptr::null_mut(), ptr::without_provenance_mut(number));
    let out = &raw mut handle;
    // SAFETY: `told` does not unwind, and may be called on any thread with a number, for ever; `handle` is valid for one
    // handle.
    let answer = unsafe {
        answer!(cuDeviceRegisterAsyncNotification = register(device.raw(), Some(told), data, out))
    };
    if let Err(error) = answer.check() {
        forget(number);
        return Err(error.into());
    }
    Ok(OverBudgetHook { number, handle, device })
}

/// Runs `f` on the functions, unless this is the child of a fork, and another thread of the parent held them.
fn with_functions<R>(f: impl FnOnce(&mut Functions) -> R) -> Option<R> {
    fork::lock(&FUNCTIONS).map(|mut functions| f(&mut functions))
}

/// Drops the function of a number, which is not called any more.
#[inline]
fn forget(number: usize) {
    // Outside the lock, for its destructor is the program's.
    drop_contained(with_functions(|functions| functions.alive.remove(&number)));
}

/// The function that the driver calls.
#[inline]
unsafe extern "C" fn told(
    info: *mut CUasyncNotificationInfo,
    data: *mut c_void,
    _: CUasyncCallbackHandle,
) {
    if info.is_null() {
        return;
    }
    // SAFETY: the driver passes what it tells, which stays as it is during the call.
    let info = unsafe { *info };
    if info.r#type != ffi::CU_ASYNC_NOTIFICATION_TYPE_OVER_BUDGET {
        return;
    }
    // SAFETY: the member of this type, any bits of which are a number.
    let bytes = unsafe { info.info.overBudget }.bytesOverBudget;
    not_inside(&INSIDE, || {
        let function = with_functions(|functions| functions.alive.get(&data.addr()).cloned());
        if let Some(Some(function)) = function {
            contained(|| function(bytes));
            drop_contained(function);
        }
    });
}

impl Registration {
    /// Ends it. The driver refuses that inside a function that it notifies: then a later call does it.
    #[inline]
    fn end(self) {
        let Ok(unregister) = ffi::cuDeviceUnregisterAsyncNotification() else { return };
        let (device, handle) = (self.device.raw(), self.handle);
        // SAFETY: the handle was registered for the device, and is unregistered once: a second time the driver would die
        // (F494). A call that it does not permit ends nothing.
        let answer =
            unsafe { answer!(cuDeviceUnregisterAsyncNotification = unregister(device, handle)) };
        if answer.code == ffi::CUDA_ERROR_NOT_PERMITTED {
            with_functions(|functions| functions.ended.push(self));
        } else {
            report(answer);
        }
    }
}

/// Ends the registrations that could not be ended where their hooks were dropped.
#[inline]
fn end_registrations() {
    let ended = with_functions(|functions| mem::take(&mut functions.ended));
    ended.into_iter().flatten().for_each(Registration::end);
}

impl Drop for OverBudgetHook {
    #[inline]
    fn drop(&mut self) {
        if fork::is_child() {
            return; // the registration is the parent's
        }
        forget(self.number);
        Registration { handle: self.handle, device: self.device }.end();
        if !INSIDE.try_with(Cell::get).unwrap_or(true) {
            end_registrations();
        }
    }
}

impl fmt::Debug for OverBudgetHook {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OverBudgetHook({:p} of {:?})", self.handle, self.device)
    }
}
