//! Contexts and who owns them.
#![allow(unsafe_code, reason = "calls the driver, and says that a context may be shared")]

use crate::error::{check, released};
use crate::{Device, Error, Result, init};
use bitflags::bitflags;
use ffi::{CUcontext, CUctx_flags};
use static_assertions::assert_impl_all;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::Arc;

bitflags! {
    /// How a context behaves. At most one of the ways to wait; none lets the driver choose.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct ContextFlags: u32 {
        /// A thread that waits for the device spins: least latency, a core busy.
        const SCHED_SPIN = CUctx_flags::CU_CTX_SCHED_SPIN.bits();
        /// A thread that waits for the device yields.
        const SCHED_YIELD = CUctx_flags::CU_CTX_SCHED_YIELD.bits();
        /// A thread that waits for the device sleeps.
        const SCHED_BLOCKING_SYNC = CUctx_flags::CU_CTX_SCHED_BLOCKING_SYNC.bits();
        /// Local memory is kept after a launch that needed more.
        const LMEM_RESIZE_TO_MAX = CUctx_flags::CU_CTX_LMEM_RESIZE_TO_MAX.bits();
    }
}

impl ContextFlags {
    fn checked(self, call: &'static str) -> Result<u32> {
        let ways = Self::SCHED_SPIN | Self::SCHED_YIELD | Self::SCHED_BLOCKING_SYNC;
        if (self & ways).bits().count_ones() > 1 {
            let reason = "the flags name several ways to wait: choose one of the SCHED_ flags";
            return Err(Error::InvalidArgument { call, reason });
        }
        if !(self - Self::all()).is_empty() {
            let reason = "the flags hold bits that are no flag: use the constants of ContextFlags";
            return Err(Error::InvalidArgument { call, reason });
        }
        Ok(self.bits())
    }
}

/// How a [`Context`] came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ContextKind {
    /// Made by [`Context::create`]; the last clone destroys it.
    Created,
    /// The device's primary context, retained; the last clone releases it.
    Primary,
}

/// A context: a shared owner of it, cheap to clone.
///
/// Guards and handles hold a clone. So a context that is on any thread's stack, or behind any
/// handle, is alive (invariant `context-alive`), and a guard that is leaked leaks its context with
/// it instead of leaving an entry of a destroyed one (F13, F14).
///
/// Creating one leaves the thread's stack as it was. To use it, push it:
/// [`ContextStack::push`](crate::ContextStack::push).
#[derive(Clone)]
pub struct Context(Arc<Inner>);
assert_impl_all!(Context: Send, Sync);

struct Inner {
    raw: CUcontext,
    device: Device,
    kind: ContextKind,
}
// SAFETY: a context is not tied to a thread: it may be current on several at once, and be destroyed
// or released from any (F11, F17; CUDA driver API, "Context Management"). `Inner` is never mutated.
unsafe impl Send for Inner {}
// SAFETY: as for `Send`; through `&Inner` the raw handle is only read.
unsafe impl Sync for Inner {}

impl Inner {
    fn end(&self) -> (&'static str, ffi::CUresult) {
        match self.kind {
            ContextKind::Created => ("cuCtxDestroy_v2", {
                // SAFETY: this is the only owner of the handle (`create` got it, nothing else
                // destroys it), and no guard or handle is left, since each holds a clone. An entry
                // on a stack that remains all the same (a suspended guard) keeps a clone too.
                unsafe { ffi::cuCtxDestroy_v2(self.raw) }
            }),
            ContextKind::Primary => ("cuDevicePrimaryCtxRelease_v2", {
                // SAFETY: gives back the one retain that `primary` made for this owner.
                unsafe { ffi::cuDevicePrimaryCtxRelease_v2(self.device.raw()) }
            }),
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let (call, code) = self.end();
        released(call, code);
    }
}

impl Context {
    /// Creates a context on a device. It costs about 0.1 s and 0.5 GiB of the device's memory (F22);
    /// the [`primary`](Self::primary) one is shared with the CUDA runtime and its libraries.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for flags that contradict each other;
    /// `CUDA_ERROR_OUT_OF_MEMORY`; a sticky error (F60).
    #[doc(alias = "cuCtxCreate")]
    pub fn create(device: Device, flags: ContextFlags) -> Result<Context> {
        const CALL: &str = "cuCtxCreate_v2";
        let flags = flags.checked(CALL)?;
        init()?;
        let mut raw = ptr::null_mut();
        // SAFETY: writes one handle to `raw`, which is valid for it; flags and device are checked
        // by the driver (F21).
        check(CALL, unsafe { ffi::cuCtxCreate_v2(&raw mut raw, flags, device.raw()) })?;
        let context = Context(Arc::new(Inner { raw, device, kind: ContextKind::Created }));
        // The call pushed it (F10): take it off again. On failure the destruction of `context` does.
        let mut top = ptr::null_mut();
        // SAFETY: writes one handle to `top`; what it pops is the entry that the call above pushed.
        check("cuCtxPopCurrent_v2", unsafe { ffi::cuCtxPopCurrent_v2(&raw mut top) })?;
        debug_assert_eq!(top, raw, "the driver pushes what it creates (F10)");
        Ok(context)
    }

    /// Retains the primary context of a device: the one that the CUDA runtime and the libraries on
    /// it use. Created on first use; every retain of it gives an equal [`Context`] (F18).
    ///
    /// # Errors
    /// `CUDA_ERROR_OUT_OF_MEMORY`; a sticky error (F60).
    #[doc(alias = "cuDevicePrimaryCtxRetain")]
    pub fn primary(device: Device) -> Result<Context> {
        init()?;
        let mut raw = ptr::null_mut();
        // SAFETY: writes one handle to `raw`, which is valid for it. It pushes nothing (F10).
        check("cuDevicePrimaryCtxRetain", unsafe {
            ffi::cuDevicePrimaryCtxRetain(&raw mut raw, device.raw())
        })?;
        Ok(Context(Arc::new(Inner { raw, device, kind: ContextKind::Primary })))
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// How it came to be.
    #[must_use]
    pub fn kind(&self) -> ContextKind {
        self.0.kind
    }

    /// The handle, for calls of [`ffi`]. It is valid while a clone lives; do not destroy it.
    #[must_use]
    pub fn raw(&self) -> CUcontext {
        self.0.raw
    }

    /// A number that no other context of the process has or had (F98).
    ///
    /// # Errors
    /// `CUDA_ERROR_CONTEXT_IS_DESTROYED` if code outside this crate destroyed it.
    #[doc(alias = "cuCtxGetId")]
    pub fn id(&self) -> Result<u64> {
        let mut id = 0;
        // SAFETY: writes one `u64` to `id`, which is valid for it; the context is alive.
        check("cuCtxGetId", unsafe { ffi::cuCtxGetId(self.raw(), &raw mut id) })?;
        Ok(id)
    }

    /// Destroys (or releases) now and tells the result, or gives the context back if a clone, guard
    /// or handle still holds it.
    ///
    /// # Errors
    /// `Err(self)` if something else holds it; inside, what the driver answered.
    #[doc(alias = "cuCtxDestroy")]
    #[doc(alias = "cuDevicePrimaryCtxRelease")]
    pub fn try_destroy(self) -> Result<Result, Context> {
        match Arc::try_unwrap(self.0) {
            Ok(inner) => {
                let inner = ManuallyDrop::new(inner);
                let (call, code) = inner.end();
                Ok(check(call, code).map_err(Error::from))
            }
            Err(shared) => Err(Context(shared)),
        }
    }

    /// For an entry that may stay on a stack: the context must never be destroyed.
    pub(crate) fn leak(&self) {
        std::mem::forget(self.clone());
    }
}

/// Equal if the driver's handles are: two retains of one primary context are one context.
impl PartialEq for Context {
    fn eq(&self, other: &Self) -> bool {
        self.raw() == other.raw()
    }
}
impl Eq for Context {}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { raw, device, kind } = &*self.0;
        write!(f, "Context({kind:?}, {device:?}, {raw:p})")
    }
}
