//! Work on a stream, one operation at a time.
#![allow(unsafe_code, reason = "launches kernels, and says that a handle may be shared")]

use crate::args::KernelArgs;
use crate::context::Context;
use crate::error::Result;
use crate::event::Event;
use crate::kernel::Launchable;
use crate::launch::LaunchSpec;
use crate::memory::{DeviceMemory, DeviceMemoryMut, Element};
use crate::registry::LentHost;
use crate::stack::PushedGuard;
use crate::stream::Stream;
use crate::stream::blocking::Blocking;
use ffi::CUstream;
use static_assertions::assert_impl_all;
use std::fmt;

/// Operations on one stream: [`PushedGuard::on`]. Each is complete when it returns, so nothing is in
/// flight in between (invariant `idle-outside`). The methods named `…_unscoped` return at once and are
/// `unsafe` for it.
///
/// None of them needs a current context or compares it (F30, F34): the driver calls are those of C.
#[derive(Clone, Copy)]
pub struct OnStream<'g, 'ctx> {
    stream: &'g Stream<'ctx>,
    blocking: Blocking<'g>,
}
// SAFETY: beside the stream, which is `Sync`, this holds its handle, which is not tied to a thread and is
// never changed: it is no default stream's.
unsafe impl Send for OnStream<'_, '_> {}
// SAFETY: as for `Send`.
unsafe impl Sync for OnStream<'_, '_> {}
assert_impl_all!(OnStream<'static, 'static>: Send, Sync);

impl<'ctx> PushedGuard<'ctx> {
    /// Operations on a stream of this guard, one at a time.
    #[must_use]
    #[inline]
    pub fn on<'g>(&'g self, stream: &'g Stream<'ctx>) -> OnStream<'g, 'ctx> {
        // SAFETY: 1. The stream is borrowed for `'g`, and no default stream.
        let blocking = unsafe { Blocking::new(stream.raw(), stream.context().key()) };
        OnStream { stream, blocking }
    }
}

impl<'g, 'ctx> OnStream<'g, 'ctx> {
    #[inline]
    pub(crate) fn stream(&self) -> &'g Stream<'ctx> {
        self.stream
    }

    #[inline]
    pub(crate) fn raw(&self) -> CUstream {
        self.stream.raw()
    }

    #[inline]
    pub(crate) fn context(&self) -> &'g Context {
        self.stream.context()
    }

    /// Waits for an operation that lends no memory of the host: [`Blocking::complete`].
    #[inline]
    pub(crate) fn complete(&self, enqueued: Result) -> Result {
        self.blocking.complete(enqueued, LentHost::NONE)
    }

    /// Copies a slice to the device and waits.
    ///
    /// # Errors
    /// [`LengthMismatch`](crate::Error::LengthMismatch); [`OtherContext`](crate::Error::OtherContext); a
    /// sticky error (F60).
    #[doc(alias = "cuMemcpyHtoDAsync")]
    #[doc(alias = "cuMemcpyHtoD")]
    #[inline]
    pub fn upload<T: Element>(&self, from: &[T], to: &mut impl DeviceMemoryMut<'ctx, T>) -> Result {
        self.blocking.upload(from, to)
    }

    /// Copies device memory to the host and waits.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoHAsync")]
    #[doc(alias = "cuMemcpyDtoH")]
    #[inline]
    pub fn download<T: Element>(&self, from: &impl DeviceMemory<'ctx, T>, to: &mut [T]) -> Result {
        self.blocking.download(from, to)
    }

    /// Copies device memory and waits.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoDAsync")]
    #[doc(alias = "cuMemcpyDtoD")]
    #[inline]
    pub fn copy<T: Element>(
        &self,
        from: &impl DeviceMemory<'ctx, T>,
        to: &mut impl DeviceMemoryMut<'ctx, T>,
    ) -> Result {
        self.blocking.copy(from, to)
    }

    /// Sets every element to `value` and waits. Elements have 1, 2 or 4 bytes: others do not compile.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); a sticky error (F60).
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD16Async")]
    #[doc(alias = "cuMemsetD32Async")]
    #[inline]
    pub fn fill<T: Element>(&self, to: &mut impl DeviceMemoryMut<'ctx, T>, value: T) -> Result {
        self.blocking.fill(to, value)
    }

    /// As [`fill`](Self::fill), without the wait: one driver call.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    ///
    /// # Safety
    /// 1. Until the stream was synchronized, also if this fails, nothing else uses the memory: no other
    ///    stream, no other operation through this crate, and its buffer is not dropped (a leak is fine).
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD16Async")]
    #[doc(alias = "cuMemsetD32Async")]
    #[inline]
    pub unsafe fn fill_unscoped<T: Element>(
        &self,
        to: &mut impl DeviceMemoryMut<'ctx, T>,
        value: T,
    ) -> Result {
        // SAFETY: the caller's obligation 1.
        unsafe { self.blocking.fill_unscoped(to, value) }
    }

    /// Sets every byte to zero and waits, for elements of any size.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    #[doc(alias = "cuMemsetD8Async")]
    #[inline]
    pub fn zero<T: Element>(&self, to: &mut impl DeviceMemoryMut<'ctx, T>) -> Result {
        self.blocking.zero(to)
    }

    /// Runs a kernel and waits for it.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for extents of 0 or over the device's limits (F61), more than 48 KiB of
    /// dynamic shared memory without
    /// [`Function::set_max_dynamic_shared_bytes`](crate::Function::set_max_dynamic_shared_bytes) (F310), or
    /// no arguments for a kernel that has some (F93); what the attributes say;
    /// [`OtherContext`](crate::Error::OtherContext); a sticky error if the kernel faults (F60): the process
    /// can then no longer use the GPU.
    ///
    /// # Safety
    /// 1. The arguments are those of the kernel: as many, in order, each of the parameter's size and
    ///    meaning. Of a [`Kernel`](crate::Kernel), number and sizes were compared.
    /// 2. The kernel accesses memory only through its arguments and its module's variables, inside
    ///    the buffers, and writes only `&mut` ones. Two threads of it that race on an address leave
    ///    unspecified bytes there and do nothing worse. Memory that the kernel uses without an argument for it,
    ///    such as a variable by its name, is used by no other work that is in flight at the same time, in any
    ///    stream, if one of the two writes it: only the program can order such uses.
    /// 3. What the kernel needs of the launch is given: block shape, shared memory; and what the
    ///    [attributes](crate::ExtendedLaunch) of the launch ask of the kernel, it does.
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchKernelEx")]
    #[inline]
    pub unsafe fn launch<A: KernelArgs<'ctx>>(
        &self,
        kernel: &impl Launchable<'ctx, A>,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        // SAFETY: the caller's obligations 1 to 3.
        unsafe { self.blocking.launch(kernel.function(), config, args) }
    }

    /// As [`launch`](Self::launch), without the wait: one driver call. A fault of the kernel shows in
    /// a later one.
    ///
    /// # Errors
    /// As [`launch`](Self::launch).
    ///
    /// # Safety
    /// 1. to 3. of [`launch`](Self::launch).
    /// 4. Until the stream was synchronized, nothing else writes the memory among the arguments, or
    ///    uses that which the kernel writes: no other stream, no other operation through this crate, and
    ///    not the host; and none is dropped (a leak is fine).
    #[doc(alias = "cuLaunchKernel")]
    #[inline]
    pub unsafe fn launch_unscoped<A: KernelArgs<'ctx>>(
        &self,
        kernel: &impl Launchable<'ctx, A>,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        // SAFETY: the caller's obligations 1 to 4.
        unsafe { self.blocking.launch_unscoped(kernel.function(), config, args) }
    }

    /// Records an event behind what the stream holds.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); a sticky error (F60).
    #[doc(alias = "cuEventRecord")]
    #[inline]
    pub fn record(&self, event: &Event<'ctx>) -> Result {
        self.blocking.record(event)
    }

    /// Makes what comes next in the stream wait for an event, which may be of another context (F36).
    ///
    /// # Errors
    /// A sticky error (F60).
    #[doc(alias = "cuStreamWaitEvent")]
    #[inline]
    pub fn wait(&self, event: &Event<'_>) -> Result {
        self.blocking.wait(event)
    }
}

impl fmt::Debug for OnStream<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnStream").field("stream", self.stream).finish()
    }
}
