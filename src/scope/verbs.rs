//! The operations of a stream: copies, fills, launches.
#![allow(unsafe_code, reason = "enqueues work on memory that the scope borrows")]

use super::{ScopedBuffer, ScopedHostMemory, ScopedStream, Source};
use crate::args::KernelArgs;
use crate::args::sealed::Operands;
use crate::error::Result;
use crate::kernel::Launchable;
use crate::launch::{LaunchSpec, Spec};
use crate::memory::access::Access;
use crate::memory::{Element, InScope};
use crate::ops::enqueue::{same_context, same_len};
use crate::ops::{Copy, Download, Fill, Launch, Operation, Upload};
use std::ptr;

// The context of what an operation uses is compared, and the operation ordered behind earlier ones, by one
// comparison with the fast path, or else by `prepare`: see `FastPath`.

impl<'s, 'ctx> ScopedStream<'s, 'ctx> {
    /// Enqueues an operation: as it is if nothing has to be compared or ordered for its memory, else after the
    /// operations that it has to follow. Both branches create the operation, so that the first stores nothing for the
    /// second.
    ///
    /// # Safety
    /// 1. All memory of the operation is alive, and borrowed as the operation uses it until the scope has waited, or
    ///    until the scope has given it back.
    #[inline]
    unsafe fn run<O: Operation>(&self, operation: impl Fn() -> O) -> Result {
        let now = operation();
        if now.uses().all_ready(self.fast_path) {
            // SAFETY: the stream is there, and what other operations of the scope do with the memory is ordered by
            // its uses. The rest is the caller's obligation 1.
            unsafe { now.run(self.raw, || self.context().key()) }
        } else {
            // SAFETY: the caller's obligation 1.
            unsafe { self.run_behind(operation) }
        }
    }

    /// # Safety
    /// 1. As for [`run`](Self::run).
    #[cold]
    #[inline(never)]
    unsafe fn run_behind<O: Operation>(self, operation: impl FnOnce() -> O) -> Result {
        let operation = operation();
        let prepare = |accesses: &[Access<'_>]| self.prepare(operation.call(), accesses);
        operation.uses().with_accesses(prepare)?;
        // SAFETY: as in `run`.
        unsafe { operation.run(self.raw, || self.context().key()) }
    }

    /// Enqueues a launch likewise. Its arguments cannot be created twice, and are moved to the second branch. If this
    /// were a call, each launch would store them first.
    ///
    /// # Safety
    /// 1. As for [`run`](Self::run).
    #[inline(always)]
    pub(crate) unsafe fn run_launch<S: Spec, A: Operands>(
        &self,
        launch: Launch<'_, '_, S, A>,
    ) -> Result {
        if !launch.host().is_none() {
            self.lend_host();
        }
        let own = || self.context().key();
        same_context(launch.call(), launch.others_are_of(own()))?;
        if launch.uses().all_ready(self.fast_path) {
            // SAFETY: as in `run`.
            unsafe { launch.run(self.raw, own) }
        } else {
            // SAFETY: the caller's obligation 1.
            unsafe { self.run_behind(move || launch) }
        }
    }

    /// Copies a slice to the device. The scope borrows the slice until it ends.
    ///
    /// # Errors
    /// [`LengthMismatch`](crate::Error::LengthMismatch); [`OtherContext`](crate::Error::OtherContext);
    /// [`NotCurrent`](crate::Error::NotCurrent) if streams have to be ordered; a sticky error (F60).
    #[doc(alias = "cuMemcpyHtoDAsync")]
    #[inline]
    pub fn upload<T: Element>(&self, from: &'s [T], to: &mut ScopedBuffer<'s, T>) -> Result {
        let to = &*to;
        same_len(Upload::CALL, from.len(), to.len())?;
        self.lend_host();
        // SAFETY: both are borrowed until the scope has waited.
        unsafe { self.run(move || Upload::new(from, to.used(true))) }
    }

    /// Copies a buffer to the host. The scope borrows the slice until it ends.
    ///
    /// # Errors
    /// The same as for [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoHAsync")]
    #[inline]
    pub fn download<T: Element>(&self, from: impl Source<'s, 'ctx, T>, to: &'s mut [T]) -> Result {
        same_len(Download::CALL, from.access().len, to.len())?;
        self.lend_host();
        let (from, to) = (&from, ptr::from_mut(to));
        // SAFETY: both are borrowed until the scope has waited.
        unsafe { self.run(move || Download::new(from.access(), to)) }
    }

    /// Copies staged memory to the device.
    ///
    /// # Errors
    /// The same as for [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyHtoDAsync")]
    #[inline]
    pub fn upload_staged<T: Element>(
        &self,
        from: &impl ScopedHostMemory<'s, T>,
        to: &mut ScopedBuffer<'s, T>,
    ) -> Result {
        let (from, to) = (from.stage(), &*to);
        same_len(Upload::CALL, from.len(), to.len())?;
        // SAFETY: both are borrowed until the scope has waited, and the host gets staged memory back when this is
        // over.
        unsafe {
            self.run(move || Upload::new(from.as_ptr(), to.used(true)).staged(from.used(false)))
        }
    }

    /// Copies a buffer to staged memory.
    ///
    /// # Errors
    /// The same as for [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoHAsync")]
    #[inline]
    pub fn download_staged<T: Element>(
        &self,
        from: impl Source<'s, 'ctx, T>,
        to: &mut impl ScopedHostMemory<'s, T>,
    ) -> Result {
        let (from, to) = (&from, to.stage());
        same_len(Download::CALL, from.access().len, to.len())?;
        // SAFETY: as in `upload_staged`.
        unsafe { self.run(move || Download::new(from.access(), to.as_ptr()).staged(to.used(true))) }
    }

    /// Copies one buffer to another.
    ///
    /// # Errors
    /// The same as for [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoDAsync")]
    #[inline]
    pub fn copy<T: Element>(
        &self,
        from: impl Source<'s, 'ctx, T>,
        to: &mut ScopedBuffer<'s, T>,
    ) -> Result {
        let (from, to) = (&from, &*to);
        same_len(Copy::CALL, from.access().len, to.len())?;
        // SAFETY: both are borrowed until the scope has waited.
        unsafe { self.run(move || Copy::new(from.access(), to.used(true))) }
    }

    /// Sets every element to `value`. Elements have 1, 2 or 4 bytes: others do not compile.
    ///
    /// # Errors
    /// The same as for [`upload`](Self::upload).
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD16Async")]
    #[doc(alias = "cuMemsetD32Async")]
    #[inline]
    pub fn fill<T: Element>(&self, to: &mut ScopedBuffer<'s, T>, value: T) -> Result {
        let to = &*to;
        // SAFETY: the memory is borrowed until the scope has waited.
        unsafe { self.run(move || Fill::value(to.used(true), value)) }
    }

    /// Sets every byte to zero, for elements of any size.
    ///
    /// # Errors
    /// The same as for [`upload`](Self::upload).
    #[doc(alias = "cuMemsetD8Async")]
    #[inline]
    pub fn zero<T: Element>(&self, to: &mut ScopedBuffer<'s, T>) -> Result {
        let to = &*to;
        // SAFETY: the memory is borrowed until the scope has waited.
        unsafe { self.run(move || Fill::zero(to.used(true))) }
    }

    /// Runs a kernel. A later call reports its faults.
    ///
    /// # Errors
    /// The same as for [`SyncStream::launch`](crate::SyncStream::launch);
    /// [`NotCurrent`](crate::Error::NotCurrent) if streams have to be ordered.
    ///
    /// # Safety
    /// 1. to 3. of [`SyncStream::launch`](crate::SyncStream::launch). Work on the other streams of the scope is
    ///    in flight at the same time, unless memory that both use, or an event, orders it.
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchKernelEx")]
    #[inline]
    pub unsafe fn launch<A: KernelArgs<'ctx, InScope<'s>>>(
        &self,
        kernel: &impl Launchable<'ctx, A>,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        // SAFETY: the caller's obligations 1 to 3.
        let launch = unsafe { Launch::new(kernel.function(), config, args) };
        // SAFETY: the memory among the arguments is borrowed until the scope has waited.
        unsafe { self.run_launch(launch) }
    }
}
