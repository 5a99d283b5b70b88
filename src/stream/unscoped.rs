//! Operations that return before they are done.
#![allow(unsafe_code, reason = "enqueues work whose memory nothing holds")]

use super::SyncStream;
use crate::args::sealed::Operands;
use crate::error::Result;
use crate::function::Function;
use crate::launch::LaunchSpec;
use crate::memory::access::Access;
use crate::memory::{DeviceMemory, DeviceMemoryMut, Element};
use crate::ops::{Copy, Download, Launch, Upload};
use std::cell::Cell;
use std::ffi::c_void;

/// # Operations that return at once
///
/// They make one driver call and do not wait, and the program orders what they use. For memory with rows they are copies
/// of rows. A [`DeviceRange`](crate::memory::DeviceRange) is a destination or source by its address.
impl<'ctx> SyncStream<'_, 'ctx> {
    /// Copies host memory to the device without waiting: one driver call. See [`upload`](Self::upload).
    ///
    /// For page-locked memory the call returns at once. Other memory the driver may have read when it returns, or not.
    ///
    /// # Errors
    /// The errors of [`upload`](Self::upload).
    ///
    /// # Safety
    /// 1. `from` is aligned, and its elements are initialised memory of one allocation.
    /// 2. Until the stream has been synchronized, also if this call fails, nothing frees or writes the host memory, and
    ///    nothing else uses the memory of the device. Neither is dropped (a leak is fine).
    #[doc(alias = "cuMemcpyHtoDAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    pub unsafe fn upload_unscoped<T: Element>(
        &self,
        from: *const [T],
        to: &mut impl DeviceMemoryMut<'ctx, T>,
    ) -> Result {
        // SAFETY: the memory of both is alive, and the rest is the caller's obligations 1 and 2.
        unsafe { self.on.blocking.run_unscoped(&Upload::new(from, to.access(true))) }
    }

    /// Copies device memory to the host without waiting: one driver call. See [`download`](Self::download).
    ///
    /// # Errors
    /// The errors of [`download`](Self::download).
    ///
    /// # Safety
    /// 1. `to` is aligned, and memory of one allocation, which may be uninitialised.
    /// 2. Until the stream has been synchronized, also if this call fails, nothing frees, reads or writes the host memory,
    ///    and there is no reference to it. Nothing writes the memory of the device, which is not dropped (a leak is fine).
    #[doc(alias = "cuMemcpyDtoHAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    pub unsafe fn download_unscoped<T: Element>(
        &self,
        from: &impl DeviceMemory<'ctx, T>,
        to: *mut [T],
    ) -> Result {
        // SAFETY: the memory of both is alive, and the rest is the caller's obligations 1 and 2.
        unsafe { self.on.blocking.run_unscoped(&Download::new(from.access(false), to)) }
    }

    /// Copies device memory to other device memory without waiting: one driver call. See [`copy`](Self::copy).
    ///
    /// # Errors
    /// The errors of [`copy`](Self::copy).
    ///
    /// # Safety
    /// 1. Until the stream has been synchronized, also if this call fails, nothing writes the source, and nothing else
    ///    uses the destination. Neither is dropped (a leak is fine).
    #[doc(alias = "cuMemcpyDtoDAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    pub unsafe fn copy_unscoped<T: Element>(
        &self,
        from: &impl DeviceMemory<'ctx, T>,
        to: &mut impl DeviceMemoryMut<'ctx, T>,
    ) -> Result {
        // SAFETY: the memory of both is alive; the rest is the caller's obligation 1.
        unsafe { self.on.blocking.run_unscoped(&Copy::new(from.access(false), to.access(true))) }
    }

    /// Launches a kernel with a list of pointers to the values of its parameters, as C has it, without waiting: one driver
    /// call. It checks nothing but the contexts of the kernel and of the launch's attributes.
    ///
    /// An [`ArgumentList`](crate::kernel::ArgumentList) compares the number and the sizes, and a tuple of arguments borrows
    /// memory besides.
    ///
    /// # Errors
    /// The errors of [`launch_unchecked`](Self::launch_unchecked).
    ///
    /// # Safety
    /// 1. There is a pointer for each parameter of the kernel, in order, each to a value of the parameter's size. The driver
    ///    reads them before this returns.
    /// 2. The kernel accesses memory only through these values and its module's variables, inside of what they stand for,
    ///    and the launch provides everything that it needs: 2. and 3. of [`launch_unchecked`](Self::launch_unchecked).
    /// 3. Until the stream has been synchronized, nothing frees that memory, writes what the kernel reads, or uses what it
    ///    writes.
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchKernelEx")]
    pub unsafe fn launch_raw(
        &self,
        function: &Function<'ctx>,
        config: impl LaunchSpec<'ctx>,
        parameters: &mut [*mut c_void],
    ) -> Result {
        let parameters = Pointers::new(parameters);
        // SAFETY: the caller's obligations 1 and 2.
        let launch = unsafe { Launch::new(&function.inner, config, parameters) };
        // SAFETY: what the kernel uses is alive and used by nothing else: the caller's obligation 3.
        unsafe { self.on.blocking.run_unscoped(&launch) }
    }
}

/// The values of parameters, by pointers. Whatever memory they stand for, the program orders its use.
pub(crate) struct Pointers<'p> {
    /// Taken by the launch.
    pointers: Cell<&'p mut [*mut c_void]>,
    count: usize,
}

impl<'p> Pointers<'p> {
    #[inline]
    pub(crate) fn new(pointers: &'p mut [*mut c_void]) -> Self {
        Pointers { count: pointers.len(), pointers: Cell::new(pointers) }
    }
}

impl Operands for Pointers<'_> {
    fn all(&self, _: impl Fn(&Access<'_>) -> bool) -> bool {
        true
    }

    fn with_accesses<R>(&self, f: impl FnOnce(&[Access<'_>]) -> R) -> R {
        f(&[])
    }

    fn count(&self) -> usize {
        self.count
    }

    #[inline]
    fn with_pointers<R>(&self, f: impl FnOnce(&mut [*mut c_void]) -> R) -> R {
        f(self.pointers.take())
    }
}
