//! Contexts and who owns them.
#![allow(unsafe_code, reason = "calls the driver, and says that a context may be shared")]

pub(crate) mod affinity;
mod create;
mod flags;
pub(crate) mod green;
pub(crate) mod primary;
pub(crate) mod wait;

use crate::call::{Answer, answer, fault, later};
use crate::device::Device;
use crate::driver::fork;
use crate::driver::release::released;
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

pub use flags::ContextFlags;
pub use green::{SmResource, SmSplit, SmSplitFlags};
pub use primary::PrimaryContextState;

/// How a [`Context`] came to be, and so how it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ContextKind {
    /// Made by [`Context::create`], or taken over; the last clone destroys it.
    Created,
    /// The device's primary context, retained; the last clone releases it.
    Primary,
    /// A green context, with multiprocessors of its own; the last clone destroys it.
    Green,
    /// Borrowed from foreign code, which ends it.
    Borrowed,
}

/// A context: a shared owner of it, cheap to clone.
///
/// Handles hold a clone, and guards borrow one. So a context that is on any thread's stack, or behind any
/// handle, is alive (invariant `context-alive`). One that a leaked guard left on a stack is not ended, so
/// that there is never an entry of a destroyed one (F13, F14).
///
/// Creating one leaves the thread's stack as it was. To use it, push it:
/// [`ContextStack::push`](crate::ContextStack::push).
#[derive(Clone)]
pub struct Context {
    inner: Arc<Inner>,
    /// Those of `inner`, which every push needs at once, and every operation to compare.
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
    /// What a stack's record has while it is pushed: an owner of its own for each retain of a primary context.
    pub(crate) entry: Entry,
}
// SAFETY: as for `Handle`. `Inner` is never mutated.
unsafe impl Send for Inner {}
// SAFETY: as for `Send`; through `&Inner` the raw handles are only read.
unsafe impl Sync for Inner {}

/// What ends a context.
pub(crate) enum End {
    Destroy,
    Release,
    DestroyGreen(CUgreenCtx),
    Nothing,
}

impl Inner {
    /// Whether it must not be ended although nobody else has it: a leaked guard has it on a stack (F13), or a
    /// function of the host may still run in it behind a fault (F330).
    fn must_stay(&self) -> bool {
        !fork::is_child() && (entries::is_pushed(self.entry) || fault::leaves_functions())
    }

    /// Ends the context, unless this is the child of a fork, which has none (F20).
    fn end(&self) -> Option<Answer> {
        if fork::is_child() {
            return None;
        }
        contexts::forget(self.entry);
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
    fn drop(&mut self) {
        if self.must_stay() {
            contexts::only_stays(self.entry);
            return;
        }
        if let Some(answer) = self.end() {
            released(answer);
        }
    }
}

impl Context {
    pub(crate) fn new(raw: CUcontext, device: Device, end: End) -> Context {
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

    fn of(inner: Arc<Inner>) -> Context {
        Context { raw: Handle(inner.raw), entry: inner.entry, inner }
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> Device {
        self.inner.device
    }

    /// How it came to be.
    #[must_use]
    pub fn kind(&self) -> ContextKind {
        match self.inner.end {
            End::Destroy => ContextKind::Created,
            End::Release => ContextKind::Primary,
            End::DestroyGreen(_) => ContextKind::Green,
            End::Nothing => ContextKind::Borrowed,
        }
    }

    /// The handle, for calls of [`ffi`]. It is valid while a clone lives; do not destroy it.
    #[must_use]
    #[inline]
    pub fn raw(&self) -> CUcontext {
        self.raw.0
    }

    /// A number that no other context of the process has or had (F98).
    ///
    /// # Errors
    /// `CUDA_ERROR_CONTEXT_IS_DESTROYED` if code outside this crate destroyed it.
    #[doc(alias = "cuCtxGetId")]
    pub fn id(&self) -> Result<u64> {
        let mut id = 0;
        // SAFETY: writes one `u64` to `id`, which is valid for it; the context is alive.
        unsafe { answer!(cuCtxGetId(self.raw(), &raw mut id)) }.check()?;
        Ok(id)
    }

    /// The version of the driver interface that the context was created for, such as 3020.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_CONTEXT` if code outside this crate destroyed it (F16).
    #[doc(alias = "cuCtxGetApiVersion")]
    pub fn api_version(&self) -> Result<u32> {
        let mut version = 0;
        // SAFETY: writes one `c_uint` to `version`, which is valid for it; the context is alive.
        unsafe { answer!(cuCtxGetApiVersion(self.raw(), &raw mut version)) }.check()?;
        Ok(version)
    }

    /// Whether the context is the calling thread's current one, by whomever it was pushed.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_INITIALIZED` in the child of a fork.
    #[doc(alias = "cuCtxGetCurrent")]
    pub fn is_current(&self) -> Result<bool> {
        Ok(current_raw()? == self.raw())
    }

    /// Waits until everything in the context is finished. It need not be current.
    ///
    /// # Errors
    /// A sticky error of earlier work (F60); [`NeedsDriver`](crate::Error::NeedsDriver) before CUDA 13.0,
    /// where [`PushedGuard::synchronize`](crate::PushedGuard::synchronize) does it.
    #[doc(alias = "cuCtxSynchronize_v2")]
    pub fn synchronize(&self) -> Result {
        let synchronize = ffi::cuCtxSynchronize_v2()?;
        // SAFETY: the context is alive.
        wait(unsafe { later!(cuCtxSynchronize_v2 = synchronize(self.raw())) })
    }

    /// Destroys (or releases) now and tells the result, or gives the context back if a clone or a handle
    /// still holds it, or a leaked guard left it on a stack, or a kernel faulted and a
    /// [host function](crate::OnStream::host_function) may still run. A borrowed context is let go of.
    ///
    /// # Errors
    /// `Err(self)` if something else holds it; inside, what the driver answered.
    #[doc(alias = "cuCtxDestroy")]
    #[doc(alias = "cuDevicePrimaryCtxRelease")]
    #[doc(alias = "cuGreenCtxDestroy")]
    pub fn try_destroy(self) -> Result<Result, Context> {
        let ended = self.into_inner()?.end();
        Ok(ended.map_or(Ok(()), Answer::result))
    }

    /// What only this one has, and is on no stack: the caller ends it.
    pub(crate) fn into_inner(self) -> Result<ManuallyDrop<Inner>, Context> {
        let Context { mut inner, .. } = self;
        // In this order: once nobody else has it, nobody can push it.
        if Arc::get_mut(&mut inner).is_none_or(|inner| inner.must_stay()) {
            return Err(Context::of(inner));
        }
        Arc::try_unwrap(inner).map(ManuallyDrop::new).map_err(Context::of)
    }

    /// What is noted when it is pushed.
    #[inline]
    pub(crate) fn entry(&self) -> Entry {
        self.entry
    }
}

impl Context {
    /// What two contexts are compared by: the address of the handle.
    #[inline]
    pub(crate) fn key(&self) -> usize {
        self.raw.0.addr()
    }
}

/// Equal if the driver's handles are: two retains of one primary context are one context.
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

/// As `primary context 2 of device 0`, the number being the [`id`](Context::id).
impl fmt::Display for Context {
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

/// The top of the calling thread's stack, or null. Costs 10 ns.
#[inline]
pub(crate) fn current_raw() -> Result<CUcontext> {
    let mut top = ptr::null_mut();
    // SAFETY: writes one handle to `top`, which is valid for it; needs no context (F4).
    unsafe { answer!(cuCtxGetCurrent(&raw mut top)) }.check()?;
    Ok(top)
}
