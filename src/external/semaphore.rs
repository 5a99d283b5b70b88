//! Semaphores of other interfaces.
#![allow(unsafe_code, reason = "calls the driver, with handles that the caller vouches for")]

use super::memory::leaves_descriptor;
use super::refusals;
use crate::brand::Brand;
use crate::call::{answer, later, name, same_context};
use crate::context::Context;
use crate::driver::capture_mode::release_relaxed;
use crate::driver::release::put_off;
use crate::error::{Error, Result};
use crate::memory::home::Ended;
use crate::memory::in_flight::InFlight;
use crate::stack::PushedGuard;
use ffi::{
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS, CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1_handle as Handle,
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1_handle_win32 as Win32,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1_params as SignalParams,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1_params_fence as SignalFence,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1_params_keyedMutex as SignalMutex,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1_params_nvSciSync as SignalSync,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1_params as WaitParams,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1_params_fence as WaitFence,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1_params_keyedMutex as WaitMutex,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1_params_nvSciSync as WaitSync, CUexternalSemaphore,
    CUexternalSemaphoreHandleType,
};
use static_assertions::assert_impl_all;
use std::ffi::c_void;
#[cfg(unix)]
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::sync::Arc;
use std::{fmt, mem, ptr};

/// A handle by which another interface exports a semaphore: [`PushedGuard::import_external_semaphore`].
///
/// A file descriptor belongs to the driver once it was imported. Handles of Windows stay the program's.
#[derive(Debug)]
#[non_exhaustive]
#[doc(alias = "CUexternalSemaphoreHandleType")]
pub enum SemaphoreHandle {
    /// `VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT` of a binary semaphore.
    #[cfg(unix)]
    OpaqueFd(OwnedFd),
    /// The same of a timeline semaphore.
    #[cfg(unix)]
    TimelineFd(OwnedFd),
    /// A binary semaphore, by a handle of Windows.
    OpaqueWin32(*mut c_void),
    /// A binary semaphore, by a handle of Windows that all processes share.
    OpaqueWin32Kmt(*mut c_void),
    /// A timeline semaphore, by a handle of Windows.
    TimelineWin32(*mut c_void),
    /// A fence of Direct3D 12.
    D3d12Fence(*mut c_void),
    /// A fence of Direct3D 11.
    D3d11Fence(*mut c_void),
}

impl SemaphoreHandle {
    /// Returns the kind and the handle, as the driver takes them.
    fn raw(&self) -> (CUexternalSemaphoreHandleType, Handle) {
        let win32 = |handle| Handle { win32: Win32 { handle, name: ptr::null() } };
        // The rest is zeros, not what lies there.
        #[cfg(unix)]
        let file = |fd: &OwnedFd| {
            let mut handle = win32(ptr::null_mut());
            handle.fd = fd.as_raw_fd();
            handle
        };
        match *self {
            #[cfg(unix)]
            Self::OpaqueFd(ref fd) => (ffi::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, file(fd)),
            #[cfg(unix)]
            Self::TimelineFd(ref fd) => {
                (ffi::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD, file(fd))
            }
            Self::OpaqueWin32(handle) => {
                (ffi::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32, win32(handle))
            }
            Self::OpaqueWin32Kmt(handle) => {
                (ffi::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT, win32(handle))
            }
            Self::TimelineWin32(handle) => {
                (ffi::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32, win32(handle))
            }
            Self::D3d12Fence(handle) => {
                (ffi::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE, win32(handle))
            }
            Self::D3d11Fence(handle) => {
                (ffi::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE, win32(handle))
            }
        }
    }

    /// Leaves a file descriptor to the driver.
    #[inline]
    fn leave(self) {
        #[cfg(unix)]
        if let Self::OpaqueFd(fd) | Self::TimelineFd(fd) = self {
            let _of_the_driver = fd.into_raw_fd();
        }
    }
}

/// A semaphore of another interface: [`PushedGuard::import_external_semaphore`].
///
/// Streams signal it and wait for it, with a value: `signal_semaphores` and `wait_semaphores` of
/// [`SyncStream`](crate::SyncStream::signal_semaphores), [`ScopedStream`](crate::ScopedStream::signal_semaphores),
/// [`OrderedStream`](crate::OrderedStream::signal_semaphores), captures and
/// [graphs](crate::GraphBuilder::signal_semaphores).
///
/// - A timeline semaphore, or a fence, holds a number. A signal sets it, and a wait is over once it is at least the value.
///   The values of signals increase.
/// - A binary semaphore is signalled or not, whatever the value. A wait takes the signal away. Each wait comes behind a
///   signal of its own, and each signal behind the wait for the one before.
///
/// The drop waits for the ordered streams that signal it or wait for it, and for no others: what they do is over by then. A
/// wait that never ends blocks it, as the [module](crate::external#waits-that-never-end) tells.
pub struct ExternalSemaphore<'ctx> {
    /// Shared with the graphs that signal it or wait for it (invariant
    /// [`graph-owns`](crate::soundness#graph-owns)).
    pub(crate) inner: Arc<SemaphoreInner>,
    pub(crate) _brand: Brand<'ctx>,
}
assert_impl_all!(ExternalSemaphore<'static>: Send, Sync);

pub(crate) struct SemaphoreInner {
    raw: CUexternalSemaphore,
    context: Context,
    /// The ordered streams that may still use it.
    in_flight: InFlight,
}
// SAFETY: a semaphore is not tied to a thread, and the handle is never changed.
unsafe impl Send for SemaphoreInner {}
// SAFETY: as for `Send`; the driver orders concurrent calls on it.
unsafe impl Sync for SemaphoreInner {}

impl SemaphoreInner {
    /// Returns the streams that may still use it.
    pub(crate) fn in_flight(&self) -> &InFlight {
        &self.in_flight
    }
}

impl SemaphoreInner {
    /// Takes out what is still to release.
    #[cold]
    #[inline]
    fn again(&mut self) -> SemaphoreInner {
        let (context, in_flight) = (self.context.clone(), mem::take(&mut self.in_flight));
        SemaphoreInner { raw: self.raw, context, in_flight }
    }
}

impl Drop for SemaphoreInner {
    #[inline]
    fn drop(&mut self) {
        match self.in_flight.end() {
            Ended::Over => {}
            Ended::Unknown => return, // the device may still use it
            Ended::NotNow => return put_off(self.again()),
        }
        let raw = self.raw;
        // SAFETY: this is the only owner of the handle, which was imported and not destroyed. No signal and no wait is
        // outstanding (`external-kept`). Its context is alive, and need not be current (F467).
        release_relaxed(unsafe { later!(cuDestroyExternalSemaphore(raw)) }, || self.again());
    }
}

/// # Semaphores of other interfaces
impl<'ctx> PushedGuard<'ctx> {
    /// Imports a semaphore that another interface, such as Vulkan, exported.
    ///
    /// A file descriptor belongs to the driver then. If there is an error, it is closed, unless the driver does not tell
    /// whether it has closed it.
    ///
    /// # Errors
    /// A driver error for a handle that is none of this kind; `CUDA_ERROR_NOT_SUPPORTED` for kinds that the system does not
    /// have; [`NotCurrent`](Error::NotCurrent).
    ///
    /// # Safety
    /// 1. The handle is one that the other interface exported from a semaphore of this kind, and it is open. The driver
    ///    cannot tell a binary semaphore from a timeline semaphore.
    /// 2. All users keep to the rules of the other interface for it.
    #[doc(alias = "cuImportExternalSemaphore")]
    #[doc(alias = "cuDestroyExternalSemaphore")]
    #[inline]
    pub unsafe fn import_external_semaphore(
        &self,
        handle: SemaphoreHandle,
    ) -> Result<ExternalSemaphore<'ctx>> {
        self.enter(name!(cuImportExternalSemaphore))?;
        let (kind, sent) = handle.raw();
        let asked = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
            r#type: kind,
            handle: sent,
            flags: 0,
            reserved: [0; 16],
        };
        let mut raw = ptr::null_mut();
        // SAFETY: writes a handle to `raw` and reads `asked`, which are valid for it. The descriptor or handle is open (1).
        // Acts on the current context, which `enter` found to be the guard's.
        let answer = unsafe { answer!(cuImportExternalSemaphore(&raw mut raw, &raw const asked)) };
        if !leaves_descriptor(answer.code) && answer.code != ffi::CUDA_ERROR_UNKNOWN {
            // It belongs to the driver, but what is no semaphore (F464).
            handle.leave();
        }
        answer.explain(refusals::semaphore)?;
        let context = self.context().clone();
        let inner = Arc::new(SemaphoreInner { raw, context, in_flight: InFlight::default() });
        Ok(ExternalSemaphore { inner, _brand: Brand::new() })
    }
}

impl ExternalSemaphore<'_> {
    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.inner.context
    }

    /// Returns the handle, for calls of [`ffi`]. It is valid while this value lives. Do not destroy it.
    #[must_use]
    pub fn raw(&self) -> CUexternalSemaphore {
        self.inner.raw
    }
}

impl fmt::Debug for ExternalSemaphore<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExternalSemaphore({:p}, {:?})", self.raw(), self.context())
    }
}

/// Signals or waits, as the driver takes them: as many parameters as handles.
pub(crate) struct Semaphores<P> {
    raw: Vec<CUexternalSemaphore>,
    params: Vec<P>,
    count: u32,
}

/// Signals.
pub(crate) type Signals = Semaphores<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>;
/// Waits.
pub(crate) type Waits = Semaphores<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>;

impl<P: Params> Semaphores<P> {
    /// # Errors
    /// [`OtherContext`](Error::OtherContext) for a semaphore that is not of the context with this key;
    /// [`InvalidArgument`](Error::InvalidArgument) for more of them than the driver counts.
    pub(crate) fn new(
        call: &'static str,
        key: usize,
        all: &[(&ExternalSemaphore<'_>, u64)],
    ) -> Result<Self> {
        same_context(call, all.iter().all(|(semaphore, _)| semaphore.context().key() == key))?;
        let Ok(count) = u32::try_from(all.len()) else {
            let reason = format!(
                "these are {} semaphores, more semaphores than the driver counts: pass fewer at once",
                all.len()
            );
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        };
        let raw = all.iter().map(|(semaphore, _)| semaphore.raw()).collect();
        let params = all.iter().map(|&(_, value)| P::of(value)).collect();
        Ok(Semaphores { raw, params, count })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the handles, the parameters and their number.
    pub(crate) fn raw(&self) -> (*const CUexternalSemaphore, *const P, u32) {
        (self.raw.as_ptr(), self.params.as_ptr(), self.count)
    }
}

impl Signals {
    /// Returns the parameters of a node. They point into this value.
    #[inline]
    pub(crate) fn of_node(&self) -> CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
        let (semaphores, params, count) = self.raw();
        let semaphores = semaphores.cast_mut();
        CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
            extSemArray: semaphores,
            paramsArray: params,
            numExtSems: count,
        }
    }
}

impl Waits {
    /// Returns the parameters of a node. They point into this value.
    #[inline]
    pub(crate) fn of_node(&self) -> CUDA_EXT_SEM_WAIT_NODE_PARAMS {
        let (semaphores, params, count) = self.raw();
        let semaphores = semaphores.cast_mut();
        CUDA_EXT_SEM_WAIT_NODE_PARAMS {
            extSemArray: semaphores,
            paramsArray: params,
            numExtSems: count,
        }
    }
}

/// The parameters of a signal or of a wait.
pub(crate) trait Params {
    /// Returns the parameters with a value.
    fn of(value: u64) -> Self;
}

impl Params for CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS {
    #[inline]
    fn of(value: u64) -> Self {
        let params = SignalParams {
            fence: SignalFence { value },
            nvSciSync: SignalSync { reserved: 0 },
            keyedMutex: SignalMutex { key: 0 },
            reserved: [0; 12],
        };
        Self { params, flags: 0, reserved: [0; 16] }
    }
}

impl Params for CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS {
    #[inline]
    fn of(value: u64) -> Self {
        let params = WaitParams {
            fence: WaitFence { value },
            nvSciSync: WaitSync { reserved: 0 },
            keyedMutex: WaitMutex { key: 0, timeoutMs: 0 },
            reserved: [0; 10],
        };
        Self { params, flags: 0, reserved: [0; 16] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_handle_has_the_number_of_the_driver() {
        let handle = ptr::without_provenance_mut(8);
        let handles = [
            SemaphoreHandle::OpaqueWin32(handle),
            SemaphoreHandle::OpaqueWin32Kmt(handle),
            SemaphoreHandle::D3d12Fence(handle),
            SemaphoreHandle::D3d11Fence(handle),
            SemaphoreHandle::TimelineWin32(handle),
        ];
        assert_eq!(handles.map(|handle| handle.raw().0.0), [2, 3, 4, 5, 10]);
    }

    #[cfg(unix)]
    #[test]
    fn each_descriptor_has_the_number_of_the_driver() {
        let file = || OwnedFd::from(std::fs::File::open("/dev/null").unwrap());
        let handles = [SemaphoreHandle::OpaqueFd(file()), SemaphoreHandle::TimelineFd(file())];
        assert_eq!(handles.map(|handle| handle.raw().0.0), [1, 9]);
    }
}
