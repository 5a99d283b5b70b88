//! Creation of contexts.
#![allow(unsafe_code, reason = "calls the driver")]

use super::{Context, End};
use crate::call::{Answer, answer, name};
use crate::context::ContextFlags;
use crate::device::Device;
use crate::driver::init;
use crate::error::{Error, Result};
use crate::registry::entries;
use ffi::{CUcontext, CUctxCreateParams};
use std::ptr;

impl Context {
    /// Creates a context on a device. It costs about 0.1 s and 0.5 GiB of the device's memory
    /// ([F22](crate::driver_facts#F22)).
    ///
    /// The [`primary`](Self::primary) context is shared with the CUDA runtime and its libraries instead.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for flags that contradict each other;
    /// `CUDA_ERROR_OUT_OF_MEMORY`; a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuCtxCreate")]
    #[inline]
    pub fn create(device: Device, flags: ContextFlags) -> Result<Context> {
        let flags = flags.checked(name!(cuCtxCreate_v2))?;
        Context::from_creation(device, |raw| {
            // SAFETY: writes one handle to `raw`, which is valid for it; flags and device are checked
            // by the driver (F21).
            Ok(unsafe { answer!(cuCtxCreate_v2(raw, flags, device.raw())) })
        })
    }

    /// Creates a context from the driver's own parameters. Use it for features that have no method here, such
    /// as sharing the device with graphics.
    ///
    /// # Errors
    /// The errors of [`create`](Self::create); [`NeedsDriver`](crate::Error::NeedsDriver) before CUDA 12.5.
    ///
    /// # Safety
    /// 1. The pointers in `params` are null or point to the objects that the driver's manual requires, for as
    ///    long as it requires.
    #[doc(alias = "cuCtxCreate_v4")]
    #[inline]
    pub unsafe fn create_with_params(
        device: Device,
        flags: ContextFlags,
        mut params: CUctxCreateParams,
    ) -> Result<Context> {
        let flags = flags.checked(name!(cuCtxCreate_v4))?;
        Context::from_creation(device, |raw| {
            let create = ffi::cuCtxCreate_v4()?;
            // SAFETY: writes one handle to `raw`, which is valid for it; `params` is the caller's
            // obligation 1; flags and device are checked by the driver (F21).
            Ok(unsafe {
                answer!(cuCtxCreate_v4 = create(raw, &raw mut params, flags, device.raw()))
            })
        })
    }

    /// Takes the context that `create` creates and pushes, and removes it from the stack.
    ///
    /// # Errors
    /// A driver error. A context that cannot be removed from the stack is destroyed if it is current, and
    /// otherwise stays.
    pub(super) fn from_creation(
        device: Device,
        create: impl FnOnce(*mut CUcontext) -> Result<Answer>,
    ) -> Result<Context> {
        init()?;
        let mut raw = ptr::null_mut();
        create(&raw mut raw)?.check()?;
        let context = Context::own(raw, device, End::Destroy);
        let popped = pop_created(&context);
        if popped.is_err() {
            // Once more if it is on top.
            let is_current = || context.is_current().unwrap_or(false);
            let popped = is_current() && pop_created(&context).is_ok();
            // If it is current, its destruction, which comes now, removes it (F12). Elsewhere on the stack,
            // below a context that a hook pushed in these calls, it is never destroyed (F13).
            if !popped && !is_current() {
                entries::stays(context.entry());
            }
        }
        popped.map(|()| context)
    }
}

/// Removes from the stack the context that the driver created and pushed.
#[inline]
fn pop_created(context: &Context) -> Result {
    let mut top = ptr::null_mut();
    // SAFETY: writes one handle to `top`; what it pops is the entry that the creation pushed (F10), or is put
    // back below.
    unsafe { answer!(cuCtxPopCurrent_v2(&raw mut top)) }.check()?;
    if top == context.raw() {
        return Ok(());
    }
    // The hook of the driver's log pushed another one inside the call that created the context.
    // SAFETY: `top` was on the stack the moment before, and is put back as it was.
    unsafe { answer!(cuCtxPushCurrent_v2(top)) }.check()?;
    Err(Error::NotCurrent { call: name!(cuCtxPopCurrent_v2) })
}
