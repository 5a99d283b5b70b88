//! The primary context of a device, which the CUDA runtime and its libraries use.
#![allow(unsafe_code, reason = "calls the driver")]

use super::{Context, End};
use crate::call::{answer, name};
use crate::context::ContextFlags;
use crate::device::Device;
use crate::driver::init;
use crate::error::Result;
use ffi::CUcontext;
use std::ptr;

/// The result of [`Device::primary_context_state`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrimaryContextState {
    /// The flags that the context has, or will have when it is next activated.
    pub flags: ContextFlags,
    /// Whether any code in this process retains the context.
    pub active: bool,
}

impl Context {
    /// Retains the primary context of a device, which the CUDA runtime and its libraries use.
    ///
    /// The first retain creates it. Every retain returns an equal [`Context`] ([F18](crate::driver_facts#F18)).
    ///
    /// # Errors
    /// `CUDA_ERROR_OUT_OF_MEMORY`; a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuDevicePrimaryCtxRetain")]
    #[doc(alias = "cudaSetDevice")]
    #[inline]
    pub fn primary(device: Device) -> Result<Context> {
        Ok(Context::own(retain(device)?, device, End::Release))
    }
}

/// Retains the primary context. The caller must release it.
#[inline]
pub(crate) fn retain(device: Device) -> Result<CUcontext> {
    init()?;
    let mut raw = ptr::null_mut();
    // SAFETY: writes one handle to `raw`, which is valid for it. It pushes nothing (F10).
    unsafe { answer!(cuDevicePrimaryCtxRetain(&raw mut raw, device.raw())) }.check()?;
    Ok(raw)
}

impl Device {
    /// Returns the flags of the primary context, and whether it is active. Does not activate it.
    ///
    /// # Errors
    /// A driver error.
    #[doc(alias = "cuDevicePrimaryCtxGetState")]
    #[inline]
    pub fn primary_context_state(self) -> Result<PrimaryContextState> {
        let (mut flags, mut active) = (0, 0);
        // SAFETY: writes one integer to each of `flags` and `active`, which are valid for it.
        unsafe { answer!(cuDevicePrimaryCtxGetState(self.raw(), &raw mut flags, &raw mut active)) }
            .check()?;
        Ok(PrimaryContextState {
            flags: ContextFlags::from_bits_retain(flags),
            active: active != 0,
        })
    }

    /// Sets the flags of the primary context, active or not. All users of the context share them.
    ///
    /// The driver forgets the flags when the context is deactivated.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for flags that contradict each other;
    /// `CUDA_ERROR_INVALID_VALUE` for [`ContextFlags::MAP_HOST`], which is always on
    /// ([F119](crate::driver_facts#F119)).
    #[doc(alias = "cuDevicePrimaryCtxSetFlags")]
    #[inline]
    pub fn set_primary_context_flags(self, flags: ContextFlags) -> Result {
        let flags = flags.checked(name!(cuDevicePrimaryCtxSetFlags_v2))?;
        // SAFETY: no obligations: the driver checks both.
        unsafe { answer!(cuDevicePrimaryCtxSetFlags_v2(self.raw(), flags)) }.explain(|_| {
            let always = ContextFlags::MAP_HOST.bits();
            (flags & always != 0).then(|| {
                "`ContextFlags::MAP_HOST` is always on for a primary context: leave it out"
                    .to_owned()
            })
        })
    }

    /// Destroys the primary context and everything in it, whoever in the process uses it. Its retains stay, and
    /// their owners must still release them.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// # Safety
    /// 1. No [`Context`], guard or handle of the primary context is used from now on, not even to be dropped,
    ///    until the context has been retained again: its events crash the driver
    ///    ([F42](crate::driver_facts#F42), [F89](crate::driver_facts#F89)).
    /// 2. No other code in the process uses the primary context of this device. The CUDA runtime and its
    ///    libraries do.
    #[doc(alias = "cuDevicePrimaryCtxReset")]
    #[inline]
    pub unsafe fn reset_primary_context(self) -> Result {
        // SAFETY: obligations 1 and 2 are the caller's.
        unsafe { answer!(cuDevicePrimaryCtxReset_v2(self.raw())) }.result()
    }
}
