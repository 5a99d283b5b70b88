//! Queries about the current context, without a guard.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::brand::NotSend;
use crate::call::{answer, name};
use crate::context::current_raw as current;
use crate::context::{Context, ContextFlags};
use crate::device::Device;
use crate::driver::init;
use crate::error::{Error, Result};
use ffi::CUcontext;
use static_assertions::assert_not_impl_any;
use std::fmt;

/// The context that is current on the calling thread, whoever pushed it.
///
/// Use it for code that only inspects the context. [`current_context`](crate::current_context) returns it.
///
/// It owns nothing and keeps nothing current. Each query of the driver first checks that the context
/// is still current, and returns [`NotCurrent`](Error::NotCurrent) if another context is.
pub struct CurrentContext {
    /// An address to compare with. `NotSend` alone ties the value to its thread.
    raw: usize,
    _thread: NotSend,
}
assert_not_impl_any!(CurrentContext: Send, Sync);

/// Returns the calling thread's current context, or `None` if there is none.
///
/// Initialises the driver. Needs no [`ContextStack`](crate::ContextStack) and changes nothing.
///
/// # Errors
/// The errors of [`init`](crate::init()).
///
/// # Examples
/// ```
/// assert!(cuscope::current_context()?.is_none(), "a new thread has none");
/// # Ok::<(), cuscope::Error>(())
/// ```
#[doc(alias = "cuCtxGetCurrent")]
#[inline]
pub fn current_context() -> Result<Option<CurrentContext>> {
    init()?;
    let raw = current()?;
    Ok((!raw.is_null()).then_some(CurrentContext { raw: raw.expose_provenance(), _thread: [] }))
}

impl CurrentContext {
    /// Returns whether this is the given context.
    #[must_use]
    #[inline]
    pub fn is(&self, context: &Context) -> bool {
        self.raw == context.raw().addr()
    }

    /// Returns the handle, for calls of [`ffi`](crate::ffi). The code that pushed the context decides how long
    /// it is valid.
    #[must_use]
    #[inline]
    pub fn raw(&self) -> CUcontext {
        std::ptr::with_exposed_provenance_mut(self.raw)
    }

    /// Returns the device.
    ///
    /// # Errors
    /// [`NotCurrent`](Error::NotCurrent).
    #[doc(alias = "cuCtxGetDevice")]
    #[inline]
    pub fn device(&self) -> Result<Device> {
        self.look(name!(cuCtxGetDevice))?;
        let mut device = 0;
        // SAFETY: writes one `CUdevice` to `device`, which is valid for it; a context is current.
        unsafe { answer!(cuCtxGetDevice(&raw mut device)) }.check()?;
        Ok(Device::from_raw(device))
    }

    /// Returns the flags.
    ///
    /// # Errors
    /// [`NotCurrent`](Error::NotCurrent).
    #[doc(alias = "cuCtxGetFlags")]
    #[inline]
    pub fn flags(&self) -> Result<ContextFlags> {
        self.look(name!(cuCtxGetFlags))?;
        get_flags()
    }

    /// Returns a number that identifies the context. No other context of the process has or had it
    /// ([F98](crate::driver_facts#F98)).
    ///
    /// # Errors
    /// [`NotCurrent`](Error::NotCurrent); `CUDA_ERROR_CONTEXT_IS_DESTROYED`.
    #[doc(alias = "cuCtxGetId")]
    #[inline]
    pub fn id(&self) -> Result<u64> {
        self.look(name!(cuCtxGetId))?;
        let mut id = 0;
        // SAFETY: writes one `u64` to `id`, which is valid for it; null stands for the current context.
        unsafe { answer!(cuCtxGetId(std::ptr::null_mut(), &raw mut id)) }.check()?;
        Ok(id)
    }

    #[inline]
    fn look(&self, call: &'static str) -> Result {
        if current()?.addr() == self.raw { Ok(()) } else { Err(Error::NotCurrent { call }) }
    }
}

/// Returns the flags of the current context. The caller has checked that there is one.
#[inline]
pub(crate) fn get_flags() -> Result<ContextFlags> {
    let mut flags = 0;
    // SAFETY: writes one `c_uint` to `flags`, which is valid for it.
    unsafe { answer!(cuCtxGetFlags(&raw mut flags)) }.check()?;
    Ok(ContextFlags::from_bits_retain(flags))
}

impl fmt::Debug for CurrentContext {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CurrentContext").field(&self.raw()).finish()
    }
}
