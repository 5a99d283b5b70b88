//! Host memory that is registered with the driver, and so page-locked, for some time.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{Answer, answer, later, name};
use crate::context::Context;
use crate::driver::capture_mode::relaxed;
use crate::driver::fork;
use crate::driver::release::released;
use crate::error::{Error, Result};
use crate::memory::Element;
use crate::registry::registered;
use crate::stack::PushedGuard;
use ffi::{
    CU_MEMHOSTREGISTER_DEVICEMAP, CU_MEMHOSTREGISTER_PORTABLE, CU_MEMHOSTREGISTER_READ_ONLY,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_INITIALIZED,
    CUDA_SUCCESS, CUdeviceptr, CUresult,
};
use std::ffi::{c_uint, c_void};
use std::fmt;
use std::ops::{Deref, DerefMut};

/// For all contexts: copies in any context use the memory at the same speed. Mapped, because the driver maps it
/// in any case ([F163](crate::driver_facts#F163)).
const FLAGS: c_uint = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;

/// A registration that ends when dropped. The driver needs its context for the end, so the context lives as
/// long.
pub(super) struct Registration {
    start: *mut c_void,
    context: Context,
    /// After the end: whether the driver no longer knows the memory. There is nothing to end for 0 bytes.
    ended: Option<bool>,
}
// SAFETY: a registration is not tied to a thread: any may end it, whatever is current there (F162).
// The pointer is only a name here.
unsafe impl Send for Registration {}
// SAFETY: through a reference nothing but the context and the name can be had.
unsafe impl Sync for Registration {}

impl Registration {
    /// Registers memory.
    ///
    /// # Safety
    /// 1. The memory at `start` has `bytes` bytes and stays mapped while this is registered. If the flags do
    ///    not say that it is only read, the device may write it.
    #[inline]
    unsafe fn new(
        gpu: &PushedGuard<'_>,
        start: *mut c_void,
        bytes: usize,
        flags: c_uint,
    ) -> Result<Registration> {
        const CALL: &str = name!(cuMemHostRegister_v2);
        gpu.enter(CALL)?;
        if bytes == 0 {
            // The driver refuses to register no memory (F160).
            return Ok(Registration { start, context: gpu.context().clone(), ended: Some(true) });
        }
        // SAFETY: acts on the current context, which `enter` found to be the guard's; that the memory
        // stays is the caller's obligation 1. The driver checks that it is mapped (F160).
        unsafe { answer!(cuMemHostRegister_v2(start, bytes, FLAGS | flags)) }.check()?;
        registered().push((start.addr(), start.addr() + bytes));
        Ok(Registration { start, context: gpu.context().clone(), ended: None })
    }

    /// Registers a slice that the device may write. See [`new`](Self::new).
    ///
    /// # Safety
    /// 1. The slice stays allocated while it is registered, and is exclusively borrowed or owned by the code
    ///    that lends it to the device.
    pub(super) unsafe fn of<T: Element>(gpu: &PushedGuard<'_>, slice: *mut [T]) -> Result<Self> {
        let bytes = slice.len() * size_of::<T>();
        // SAFETY: obligation 1 is the caller's. Any bytes that the device writes are values of `T`
        // (`Element: AnyBitPattern`).
        unsafe { Registration::new(gpu, slice.cast(), bytes, 0) }
    }

    pub(super) fn context(&self) -> &Context {
        &self.context
    }

    /// Ends the registration and waits for all work of its context ([F166](crate::driver_facts#F166)). In the
    /// child of a fork, calls nothing.
    #[inline]
    fn end(&mut self) -> Answer {
        self.end_or(|registration| registration)
    }

    /// [`end`](Self::end). If the driver refuses it only on this thread, what `again` makes of the registration is
    /// dropped later.
    #[inline]
    fn end_or<T: Send + 'static>(&mut self, again: impl FnOnce(Registration) -> T) -> Answer {
        const CALL: &str = name!(cuMemHostUnregister);
        if self.ended.is_some() {
            return Answer::new(CALL, CUDA_SUCCESS);
        }
        if fork::is_child() {
            return Answer::new(CALL, CUDA_ERROR_NOT_INITIALIZED);
        }
        // SAFETY: this is the only owner of the registration; no context need be current (F162).
        // Captures do not refuse it (F141).
        let answer = relaxed(unsafe { later!(cuMemHostUnregister(self.start)) });
        let ended = is_over(answer.code);
        if ended {
            registered().retain(|&(from, _)| from != self.start.addr());
        }
        self.ended = Some(ended);
        let (start, context) = (self.start, &self.context);
        released(answer, || again(Registration { start, context: context.clone(), ended: None }));
        answer
    }

    /// Ends the registration and returns whether the memory can be returned to the allocator. If the driver
    /// still considers it page-locked, later copies with other memory at the address would use the old pages
    /// ([F168](crate::driver_facts#F168)). `again` makes the owner of memory that is returned later: see
    /// [`end_or`](Self::end_or).
    #[inline]
    pub(super) fn memory_is_free<T: Send + 'static>(
        &mut self,
        again: impl FnOnce(Registration) -> T,
    ) -> bool {
        // The answer is kept in `ended`, and the hook received it if it is an error.
        let _answer = self.end_or(again);
        self.ended == Some(true)
    }

    /// Returns the address at which the devices see a position in the memory.
    #[inline]
    pub(super) fn device_address(
        &self,
        gpu: &PushedGuard<'_>,
        at: *const c_void,
    ) -> Result<CUdeviceptr> {
        gpu.enter(name!(cuMemHostGetDevicePointer_v2))?;
        if self.ended.is_some() {
            // There are 0 bytes, which are nowhere else.
            return Ok(at.addr() as CUdeviceptr);
        }
        let mut address = 0;
        // SAFETY: writes one address to `address`, which is valid for it; the driver knows `at`, or
        // refuses. Acts on the current context, which `enter` found to be the guard's.
        unsafe { answer!(cuMemHostGetDevicePointer_v2(&raw mut address, at.cast_mut(), 0)) }
            .explain(|code| {
                (code == CUDA_ERROR_INVALID_VALUE).then(|| {
                    "the memory is no longer page-locked: code outside this crate unregistered or freed it, or ended its \
                     context"
                        .to_owned()
                })
            })?;
        Ok(address)
    }
}

/// Returns whether an answer proves that the driver no longer knows the memory: it was unregistered, or its
/// context is gone and the registration with it ([F167](crate::driver_facts#F167)). After a fault it stays
/// registered ([F60](crate::driver_facts#F60)), and the device may use it ([F326](crate::driver_facts#F326)).
/// The answer that the current context is destroyed proves nothing.
#[inline]
fn is_over(code: CUresult) -> bool {
    [CUDA_SUCCESS, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED].contains(&code)
}

impl Drop for Registration {
    #[inline]
    fn drop(&mut self) {
        let _answer = self.end();
    }
}

/// Borrowed host memory that is registered, from [`PushedGuard::register`].
pub struct Registered<'a, T: Element> {
    registration: Registration,
    slice: &'a mut [T],
}

/// # Registration of host memory
impl PushedGuard<'_> {
    /// Registers a slice, runs `f` with it, and ends the registration.
    ///
    /// Meanwhile the memory is page-locked, so copies from and to it run at the speed of the bus
    /// ([F96](crate::driver_facts#F96)). The end waits for all work of this context
    /// ([F166](crate::driver_facts#F166)). The registration costs about 100 us, and 40 ms for a GiB. For memory
    /// that you copy often, use [`PinnedBuffer`](crate::PinnedBuffer).
    ///
    /// # Errors
    /// `CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED` if a part of it is page-locked
    /// ([F66](crate::driver_facts#F66)); [`NotCurrent`](crate::Error::NotCurrent). The error that `f` returns, and then a driver error at the end of the
    /// registration.
    #[doc(alias = "cuMemHostRegister")]
    #[doc(alias = "cuMemHostUnregister")]
    #[doc(alias = "cudaHostRegister")]
    pub fn with_registered<T: Element, R>(
        &self,
        slice: &mut [T],
        f: impl FnOnce(&mut [T]) -> Result<R>,
    ) -> Result<R> {
        self.try_with_registered(slice, f)
    }

    /// [`with_registered`](Self::with_registered) for a closure with another error type, as
    /// [`try_scope`](Self::try_scope) is for [`scope`](Self::scope).
    ///
    /// # Errors
    /// The errors of [`with_registered`](Self::with_registered).
    pub fn try_with_registered<T: Element, R, E: From<Error>>(
        &self,
        slice: &mut [T],
        f: impl FnOnce(&mut [T]) -> Result<R, E>,
    ) -> Result<R, E> {
        // SAFETY: the slice is borrowed exclusively until `registration` has ended, below, and nothing
        // can leak that.
        let registration = unsafe { Registration::of(self, slice) }?;
        finished(registration, f(slice))
    }

    /// Registers a slice that is only read, such as the source of copies, and runs `f` with it. See
    /// [`with_registered`](Self::with_registered).
    ///
    /// The driver refuses to copy into the slice.
    ///
    /// # Errors
    /// The errors of [`with_registered`](Self::with_registered).
    #[doc(alias = "CU_MEMHOSTREGISTER_READ_ONLY")]
    pub fn with_registered_read_only<T: Element, R>(
        &self,
        slice: &[T],
        f: impl FnOnce(&[T]) -> Result<R>,
    ) -> Result<R> {
        self.try_with_registered_read_only(slice, f)
    }

    /// [`with_registered_read_only`](Self::with_registered_read_only) for a closure with another error type, as
    /// [`try_scope`](Self::try_scope) is for [`scope`](Self::scope).
    ///
    /// # Errors
    /// The errors of [`with_registered`](Self::with_registered).
    pub fn try_with_registered_read_only<T: Element, R, E: From<Error>>(
        &self,
        slice: &[T],
        f: impl FnOnce(&[T]) -> Result<R, E>,
    ) -> Result<R, E> {
        let (start, bytes) = (slice.as_ptr().cast_mut().cast(), size_of_val(slice));
        // SAFETY: the slice is borrowed until `registration` has ended, below, and nothing can leak
        // that; the device can only read it (F164).
        let registration =
            unsafe { Registration::new(self, start, bytes, CU_MEMHOSTREGISTER_READ_ONLY) }?;
        finished(registration, f(slice))
    }

    /// Registers a slice for the lifetime of the returned value. Use it where the closure of
    /// [`with_registered`](Self::with_registered) does not fit.
    ///
    /// # Errors
    /// The errors of [`with_registered`](Self::with_registered).
    ///
    /// # Safety
    /// 1. The returned value is dropped before the memory is returned to the allocator, and not leaked. A
    ///    registration that outlives its memory makes later copies with other memory at the address use the old
    ///    pages, without an error ([F168](crate::driver_facts#F168)).
    #[doc(alias = "cuMemHostRegister")]
    pub unsafe fn register<'a, T: Element>(&self, slice: &'a mut [T]) -> Result<Registered<'a, T>> {
        // SAFETY: the slice is borrowed exclusively as long as `Registered` lives, which the caller
        // does not leak.
        let registration = unsafe { Registration::of(self, slice) }?;
        Ok(Registered { registration, slice })
    }
}

/// Ends a registration after the work with it, and combines the results.
fn finished<R, E: From<Error>>(mut registration: Registration, done: Result<R, E>) -> Result<R, E> {
    let ended = registration.end();
    let done = done?;
    // Also in the child of a fork: the registration belongs to the parent.
    ended.check().map_err(Error::from)?;
    Ok(done)
}

impl<T: Element> Registered<'_, T> {
    /// Returns the context that registered it. Every context can use it.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.registration.context()
    }

    /// Returns the address at which kernels of any context can use the memory, for calls of [`ffi`].
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); a driver error.
    #[doc(alias = "cuMemHostGetDevicePointer")]
    pub fn device_address(&self, gpu: &PushedGuard<'_>) -> Result<CUdeviceptr> {
        self.registration.device_address(gpu, self.slice.as_ptr().cast())
    }
}

/// On this type, not only on its field, so that the borrow lasts until then.
impl<T: Element> Drop for Registered<'_, T> {
    fn drop(&mut self) {
        let _answer = self.registration.end();
    }
}

impl<T: Element> Deref for Registered<'_, T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        self.slice
    }
}

impl<T: Element> DerefMut for Registered<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.slice
    }
}

impl<T: Element> fmt::Debug for Registered<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(f, "Registered<{element}>({} at {:p})", self.len(), self.as_ptr())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(not(loom))]
    fn the_end_of_a_registration_is_that_of_its_own_memory() {
        use crate::context::ContextFlags;
        use crate::device::Device;
        use crate::stack::ContextStack;
        let context = Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let (one, two) = (gpu.pinned::<u8>(64).unwrap(), gpu.pinned::<u8>(64).unwrap());
        let [first, second] = [&one, &two].map(|pinned| pinned.as_ptr().addr());
        let known = |start| registered().iter().any(|&(from, _)| from == start);
        drop(one);
        assert!(!known(first) && known(second));
        drop(two);
        assert!(!known(second));
    }

    #[test]
    #[cfg(not(loom))]
    fn what_the_host_sees_is_known_as_long_as_it_lives() {
        use crate::context::ContextFlags;
        use crate::device::Device;
        use crate::memory::{Location, MemoryPool};
        use crate::stack::ContextStack;
        let context = Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let stream = gpu.stream().unwrap();
        let known = |start| registered().iter().any(|&(from, _)| from == start);
        let pages = gpu.pinned_pages(64).unwrap();
        let pool = MemoryPool::create(Location::Host).unwrap();
        let pooled = gpu.on(&stream).alloc_pinned_from::<u8>(&pool, 64).unwrap();
        let managed = gpu.managed::<u8>(64).unwrap();
        assert_eq!(gpu.host_slice(&managed).unwrap().len(), 64);
        let all = [
            pages.as_non_null().as_ptr().addr(),
            pooled.as_ptr().addr(),
            managed.address() as usize,
        ];
        assert_eq!(all.map(known), [true; 3]);
        drop(pages);
        assert_eq!(all.map(known), [false, true, true]);
        drop((pooled, managed));
        assert_eq!(all.map(known), [false; 3]);
    }

    #[test]
    fn memory_is_free_only_if_the_driver_cannot_use_it() {
        for over in [CUDA_SUCCESS, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED] {
            assert!(is_over(over), "{over:?}");
        }
        for not in [
            ffi::CUDA_ERROR_LAUNCH_FAILED,
            ffi::CUDA_ERROR_NOT_PERMITTED,
            ffi::CUDA_ERROR_CONTEXT_IS_DESTROYED,
            ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            ffi::CUDA_ERROR_NOT_INITIALIZED,
            ffi::CUDA_ERROR_UNKNOWN,
        ] {
            assert!(!is_over(not), "{not:?}");
        }
    }
}
