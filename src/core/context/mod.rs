//! Contexts: created, primary and green ones, and the types that describe them.
#![allow(unsafe_code, reason = "calls the driver, and says that a context may be shared")]

pub(crate) mod primary;
mod create;
pub(crate) mod affinity;
pub(crate) mod green;
pub(crate) mod current;
mod flags;
pub(crate) mod trace;
pub(crate) mod wait;

use crate::call::{Answer, answer, fault, later};
use crate::device::Device;
use crate::driver::fork;
use crate::driver::release::{catch_up, is_not_now, put_off, report};
use crate::error::Result;
use crate::registry::contexts::{self, FailsWith};
use crate::registry::entries::{self, Entry};
use crate::sync::Arc;
use ffi::{CUcontext, CUgreenCtx};
use static_assertions::assert_impl_all;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem::ManuallyDrop;
use std::ptr;
use wait::wait;

pub use current::{CurrentContext, current_context};
pub use flags::ContextFlags;
pub use green::{SmResource, SmSplit, SmSplitFlags};
pub use primary::PrimaryContextState;

/// The origin of a [`Context`], which decides how it is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ContextKind {
    /// Created by [`Context::create`], or taken over. The last clone destroys it.
    Created,
    /// The device's primary context, retained. The last clone releases it.
    Primary,
    /// A green context, with its own multiprocessors. The last clone destroys it.
    Green,
    /// Borrowed from foreign code, which releases it.
    Borrowed,
}

/// A CUDA context: a shared owner that is cheap to clone.
///
/// Create one with [`create`](Self::create), or share the device's [`primary`](Self::primary) context. Neither
/// changes the thread's stack. To use the context, push it: [`ContextStack::push`](crate::ContextStack::push).
///
/// Handles hold a clone, and guards borrow one. So a context that is on any thread's stack, or behind any
/// handle, is alive (invariant [`context-alive`](crate::soundness#context-alive)). A context that a leaked
/// guard left on a stack is never destroyed, so there is never an entry of a destroyed context
/// ([F13](crate::driver_facts#F13), [F14](crate::driver_facts#F14)).
///
/// # Examples
/// ```
/// use cuscope::{Context, ContextFlags, ContextStack, Device};
///
/// # fn main() -> cuscope::Result {
/// let context = Context::create(Device::get(0)?, ContextFlags::SCHED_BLOCKING_SYNC)?;
/// std::thread::scope(|threads| {
///     // Any thread can push the context on its own stack.
///     let worker = threads.spawn(|| ContextStack::current_thread()?.push(&context)?.synchronize());
///     worker.join().expect("the worker does not panic")
/// })
/// # }
/// ```
#[doc(alias = "CudaContext")]
#[doc(alias = "CudaDevice")]
#[derive(Clone)]
pub struct Context {
    inner: Arc<Inner>,
    /// The handle of `inner`, which every push and the comparison in every operation need quickly.
    raw: Handle,
    entry: Entry,
}
assert_impl_all!(Context: Send, Sync);

/// The driver's handle.
#[derive(Clone, Copy)]
struct Handle(CUcontext);
// SAFETY: a context is not tied to a thread: it may be current on several at once, and be destroyed
// or released from any (F11, F17; CUDA driver API, "Context Management"). The handle is never changed.
unsafe impl Send for Handle {}
// SAFETY: as for `Send`.
unsafe impl Sync for Handle {}

pub(crate) struct Inner {
    pub(crate) raw: CUcontext,
    pub(crate) device: Device,
    pub(crate) end: End,
    /// The entry that stacks record while the context is pushed. Each retain of a primary context is an owner
    /// of its own.
    pub(crate) entry: Entry,
}
// SAFETY: as for `Handle`. `Inner` is never mutated.
unsafe impl Send for Inner {}
// SAFETY: as for `Send`; through `&Inner` the raw handles are only read.
unsafe impl Sync for Inner {}

/// The way to release a context.
#[derive(Clone, Copy)]
pub(crate) enum End {
    Destroy,
    Release,
    DestroyGreen(CUgreenCtx),
    Nothing,
}

impl Inner {
    /// Returns whether the context must not be destroyed although nobody else has it: a leaked guard has it on
    /// a stack ([F13](crate::driver_facts#F13)), or a host function may still run in it after a fault
    /// ([F330](crate::driver_facts#F330)).
    #[inline]
    fn must_stay(&self) -> bool {
        !fork::is_child() && (entries::is_pushed(self.entry) || fault::leaves_functions())
    }

    /// Releases the context, unless this is the child of a fork, which has none
    /// ([F20](crate::driver_facts#F20)). If the driver refuses that only on this thread, the context is released
    /// [later](put_off).
    ///
    /// # Errors
    /// The driver's answer, and whether it is one that the caller may report: the context is not released later.
    #[inline]
    fn end(&self) -> Result<(), (Answer, bool)> {
        if fork::is_child() {
            return Ok(());
        }
        let Some(answer) = self.call() else {
            contexts::forget(self.entry);
            return Ok(());
        };
        if is_not_now(answer.code) {
            put_off(Inner { ..*self });
            return Err((answer, false));
        }
        contexts::forget(self.entry);
        if answer.code == ffi::CUDA_SUCCESS { Ok(()) } else { Err((answer, true)) }
    }

    /// Makes the call that releases it.
    #[inline]
    fn call(&self) -> Option<Answer> {
        match self.end {
            End::Destroy => {
                // SAFETY: this is the only owner of the handle (`create` got it, or foreign code gave
                // it up), and no handle or guard is left, since each holds or borrows a clone. Nor does
                // a leaked guard have it on a stack: that was looked for. No function of the host runs in it:
                // without a fault, the destruction waits for them (F50).
                Some(unsafe { answer!(cuCtxDestroy_v2(self.raw)) })
            }
            End::Release => {
                // SAFETY: gives back one retain, which is this owner's.
                Some(unsafe { answer!(cuDevicePrimaryCtxRelease_v2(self.device.raw())) })
            }
            End::DestroyGreen(green) => Some(green::destroy(green)),
            End::Nothing => None,
        }
    }
}

impl Drop for Inner {
    #[inline]
    fn drop(&mut self) {
        if self.must_stay() {
            contexts::only_stays(self.entry);
            return;
        }
        if let Err((answer, true)) = self.end() {
            report(answer);
        }
    }
}

impl Context {
    #[inline]
    pub(crate) fn own(raw: CUcontext, device: Device, end: End) -> Context {
        if let End::DestroyGreen(_) = end {
            contexts::has_green();
        }
        let fails_with = match end {
            End::Release | End::DestroyGreen(_) => FailsWith::PrimaryOf(device),
            End::Destroy | End::Nothing => FailsWith::Itself(raw.addr()),
        };
        let entry = contexts::entry_for(raw.addr(), fails_with);
        Context::of(Arc::new(Inner { raw, device, end, entry }))
    }

    #[inline]
    fn of(inner: Arc<Inner>) -> Context {
        Context { raw: Handle(inner.raw), entry: inner.entry, inner }
    }

    /// Returns the device.
    #[must_use]
    pub fn device(&self) -> Device {
        self.inner.device
    }

    /// Returns the origin of the context.
    #[must_use]
    #[inline]
    pub fn kind(&self) -> ContextKind {
        match self.inner.end {
            End::Destroy => ContextKind::Created,
            End::Release => ContextKind::Primary,
            End::DestroyGreen(_) => ContextKind::Green,
            End::Nothing => ContextKind::Borrowed,
        }
    }

    /// Returns the handle, for calls of [`ffi`]. It is valid while a clone lives. Do not destroy it.
    #[must_use]
    #[inline]
    pub fn raw(&self) -> CUcontext {
        self.raw.0
    }

    /// Returns a number that identifies the context. No other context of the process has or had it
    /// ([F98](crate::driver_facts#F98)).
    ///
    /// # Errors
    /// `CUDA_ERROR_CONTEXT_IS_DESTROYED` if code outside this crate destroyed it.
    #[doc(alias = "cuCtxGetId")]
    #[inline]
    pub fn id(&self) -> Result<u64> {
        let mut id = 0;
        // SAFETY: writes one `u64` to `id`, which is valid for it; the context is alive.
        unsafe { answer!(cuCtxGetId(self.raw(), &raw mut id)) }.check()?;
        Ok(id)
    }

    /// Returns the version of the driver interface that the context was created for, such as 3020.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_CONTEXT` if code outside this crate destroyed it ([F16](crate::driver_facts#F16)).
    #[doc(alias = "cuCtxGetApiVersion")]
    #[inline]
    pub fn api_version(&self) -> Result<u32> {
        let mut version = 0;
        // SAFETY: writes one `c_uint` to `version`, which is valid for it; the context is alive.
        unsafe { answer!(cuCtxGetApiVersion(self.raw(), &raw mut version)) }.check()?;
        Ok(version)
    }

    /// Returns whether the context is the calling thread's current one, whoever pushed it.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_INITIALIZED` in the child of a fork.
    #[doc(alias = "cuCtxGetCurrent")]
    #[inline]
    pub fn is_current(&self) -> Result<bool> {
        Ok(current_raw()? == self.raw())
    }

    /// Waits until all work in the context is complete. The context need not be current.
    ///
    /// # Errors
    /// A sticky error of earlier work ([F60](crate::driver_facts#F60));
    /// [`NeedsDriver`](crate::Error::NeedsDriver) before CUDA 13.0. On older drivers, use
    /// [`PushedGuard::synchronize`](crate::PushedGuard::synchronize).
    #[doc(alias = "cuCtxSynchronize_v2")]
    #[inline]
    pub fn synchronize(&self) -> Result {
        let synchronize = ffi::cuCtxSynchronize_v2()?;
        catch_up();
        // SAFETY: the context is alive.
        wait(unsafe { later!(cuCtxSynchronize_v2 = synchronize(self.raw())) })
    }

    /// Destroys or releases the context now and returns the result. A borrowed context is only let go.
    ///
    /// # Errors
    /// `Err(self)` if a clone or a handle still holds the context, if a leaked guard left it on a stack, or if
    /// a kernel faulted and a [host function](crate::SyncStream::host_function) may still run. The inner result
    /// is the driver's answer. In a [host function](crate::SyncStream::host_function) that is
    /// `CUDA_ERROR_NOT_PERMITTED`, and the context is released later.
    #[doc(alias = "cuCtxDestroy")]
    #[doc(alias = "cuDevicePrimaryCtxRelease")]
    #[doc(alias = "cuGreenCtxDestroy")]
    #[inline]
    pub fn try_destroy(self) -> Result<Result, Context> {
        Ok(self.into_inner()?.end().or_else(|(answer, _)| answer.result()))
    }

    /// Returns the inner value if only this clone has it and it is on no stack. The caller releases it.
    #[inline]
    pub(crate) fn into_inner(self) -> Result<ManuallyDrop<Inner>, Context> {
        let Context { mut inner, .. } = self;
        // In this order: once nobody else has it, nobody can push it.
        if Arc::get_mut(&mut inner).is_none_or(|inner| inner.must_stay()) {
            return Err(Context::of(inner));
        }
        Arc::try_unwrap(inner).map(ManuallyDrop::new).map_err(Context::of)
    }

    /// Returns the entry that a stack logs when the context is pushed.
    #[inline]
    pub(crate) fn entry(&self) -> Entry {
        self.entry
    }
}

impl Context {
    /// Returns the value by which contexts are compared: the address of the handle.
    #[inline]
    pub(crate) fn key(&self) -> usize {
        self.raw.0.addr()
    }
}

/// Two contexts are equal if the driver's handles are: two retains of one primary context are one context.
impl PartialEq for Context {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl Eq for Context {}

impl Hash for Context {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw().hash(state);
    }
}

/// Formats the context as `primary context 2 of device 0`. The first number is the [`id`](Context::id).
impl fmt::Display for Context {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind() {
            ContextKind::Created => "created",
            ContextKind::Primary => "primary",
            ContextKind::Green => "green",
            ContextKind::Borrowed => "borrowed",
        };
        write!(f, "{kind} context ")?;
        match self.id() {
            Ok(id) => write!(f, "{id}")?,
            Err(_) => f.write_str("?")?,
        }
        write!(f, " of device {}", self.device().ordinal())
    }
}

impl fmt::Debug for Context {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Context");
        debug.field("kind", &self.kind()).field("device", &self.device().ordinal());
        match self.id() {
            Ok(id) => debug.field("id", &id),
            Err(_) => debug.field("id", &"?"),
        };
        debug.field("raw", &self.raw()).finish()
    }
}

/// Returns the top of the calling thread's stack, or null. Costs 10 ns.
#[inline]
pub(crate) fn current_raw() -> Result<CUcontext> {
    let mut top = ptr::null_mut();
    // SAFETY: writes one handle to `top`, which is valid for it; needs no context (F4).
    unsafe { answer!(cuCtxGetCurrent(&raw mut top)) }.check()?;
    Ok(top)
}
