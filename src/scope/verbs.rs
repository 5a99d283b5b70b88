//! The operations of a stream: copies, fills, launches.
#![allow(unsafe_code, reason = "enqueues work on memory that the scope borrows")]

use super::{Destination, ScopedHostMemory, ScopedStream, Source};
use crate::args::KernelArgs;
use crate::args::sealed::Operands;
use crate::call::same_context;
use crate::error::Result;
use crate::kernel::{ArgumentsOf, Launchable, SafeKernel, launches};
use crate::launch::{LaunchSpec, Spec};
use crate::memory::access::Access;
use crate::memory::{CopyFlags, DeviceMemoryMut, Element, Fillable, InScope, Location};
use crate::ops::{
    Copy, CopyBatch, CopyPeer, CopyWith, Download, Fill, Launch, Operation, Prefetch, Upload,
};
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
        now.check(now.call())?;
        if now.uses().all_ready(self.fast_path) {
            // SAFETY: 1. As above. 2. The stream is there, and what other operations of the scope do with the memory
            // is ordered by its uses. The rest is the caller's obligation 1.
            unsafe { now.run(self.raw, || self.context().key()) }
        } else {
            // SAFETY: 1. The caller's obligation 1. 2. As above.
            unsafe { self.run_behind(operation) }
        }
    }

    /// # Safety
    /// 1. As for [`run`](Self::run).
    /// 2. The operation was [checked](Operation::check).
    #[cold]
    #[inline]
    unsafe fn run_behind<O: Operation>(self, operation: impl FnOnce() -> O) -> Result {
        let operation = operation();
        let prepare = |accesses: &[Access<'_>]| self.prepare(operation.call(), accesses);
        operation.uses().with_accesses(prepare)?;
        // SAFETY: 1. The caller's obligation 2. 2. As in `run`.
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
        launch: Launch<'_, S, A>,
    ) -> Result {
        if !launch.host().is_none() {
            self.lend_host();
        }
        let own = || self.context().key();
        launch.check(launch.call())?;
        same_context(launch.call(), launch.others_are_of(own()))?;
        if launch.uses().all_ready(self.fast_path) {
            // SAFETY: 1. As above. 2. As in `run`.
            unsafe { launch.run(self.raw, own) }
        } else {
            // SAFETY: 1. The caller's obligation 1. 2. As above.
            unsafe { self.run_behind(launch.in_parts()) }
        }
    }

    /// Copies a slice to the device. The scope borrows the slice until it ends.
    ///
    /// # Errors
    /// [`LengthMismatch`](crate::Error::LengthMismatch); [`OtherContext`](crate::Error::OtherContext);
    /// a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuMemcpyHtoDAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    #[doc(alias = "cudaMemcpyAsync")]
    #[inline]
    pub fn upload<T: Element>(&self, from: &'s [T], to: &mut impl Destination<'s, T>) -> Result {
        let to = &*to;
        self.lend_host();
        self.order.lend_to_array(&to.target());
        // SAFETY: both are borrowed until the scope has waited.
        unsafe { self.run(move || Upload::new(from, to.target())) }
    }

    /// Copies a buffer to the host. The scope borrows the slice until it ends.
    ///
    /// # Errors
    /// The same as for [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoHAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    #[doc(alias = "cudaMemcpyAsync")]
    #[inline]
    pub fn download<T: Element>(&self, from: impl Source<'s, 'ctx, T>, to: &'s mut [T]) -> Result {
        self.lend_host();
        let (from, to) = (&from, ptr::from_mut(to));
        self.order.lend_to_array(&from.access());
        // SAFETY: both are borrowed until the scope has waited.
        unsafe { self.run(move || Download::new(from.access(), to)) }
    }

    /// Copies staged memory to the device.
    ///
    /// # Errors
    /// The same as for [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyHtoDAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    #[inline]
    pub fn upload_staged<T: Element>(
        &self,
        from: &impl ScopedHostMemory<'s, T>,
        to: &mut impl Destination<'s, T>,
    ) -> Result {
        let (from, to) = (from.stage(), &*to);
        self.order.lend_to_array(&to.target());
        // SAFETY: both are borrowed until the scope has waited, and the host gets staged memory back when this is
        // over.
        unsafe {
            self.run(move || Upload::new(from.as_ptr(), to.target()).staged(from.used(false)))
        }
    }

    /// Copies a buffer to staged memory.
    ///
    /// # Errors
    /// The same as for [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoHAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    #[inline]
    pub fn download_staged<T: Element>(
        &self,
        from: impl Source<'s, 'ctx, T>,
        to: &mut impl ScopedHostMemory<'s, T>,
    ) -> Result {
        let (from, to) = (&from, to.stage());
        self.order.lend_to_array(&from.access());
        // SAFETY: as in `upload_staged`.
        unsafe { self.run(move || Download::new(from.access(), to.as_ptr()).staged(to.used(true))) }
    }

    /// Copies one buffer to another. Two memories with rows must have the same extent.
    ///
    /// # Errors
    /// The same as for [`upload`](Self::upload); [`ExtentMismatch`](crate::Error::ExtentMismatch).
    #[doc(alias = "cuMemcpyDtoDAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    #[doc(alias = "cudaMemcpyAsync")]
    #[inline]
    pub fn copy<T: Element>(
        &self,
        from: impl Source<'s, 'ctx, T>,
        to: &mut impl Destination<'s, T>,
    ) -> Result {
        let (from, to) = (&from, &*to);
        // SAFETY: both are borrowed until the scope has waited.
        unsafe { self.run(move || Copy::new(from.access(), to.target())) }
    }

    /// Copies several buffers to as many others with one call. See
    /// [`SyncStream::copy_batch`](crate::SyncStream::copy_batch).
    ///
    /// # Errors
    /// The same as for [`SyncStream::copy_batch`](crate::SyncStream::copy_batch).
    #[doc(alias = "cuMemcpyBatchAsync")]
    #[doc(alias = "cuMemcpy3DBatchAsync")]
    pub fn copy_batch<'h, T, F, D>(
        &self,
        copies: impl IntoIterator<Item = (F, &'h mut D)>,
    ) -> Result
    where
        T: Element,
        F: Source<'s, 'ctx, T>,
        D: Destination<'s, T> + 'h,
    {
        let copies: Vec<_> = copies.into_iter().collect();
        let batch = CopyBatch::new(copies.iter().map(|(from, to)| (from.access(), to.target())))?;
        // SAFETY: all of them are borrowed until the scope has waited.
        unsafe { self.run(|| batch.clone()) }
    }

    /// Copies one buffer to another with flags. See [`SyncStream::copy_with`](crate::SyncStream::copy_with).
    ///
    /// # Errors
    /// The same as for [`SyncStream::copy_with`](crate::SyncStream::copy_with).
    #[doc(alias = "cuMemcpyWithAttributesAsync")]
    #[doc(alias = "cuMemcpy3DWithAttributesAsync")]
    pub fn copy_with<T: Element>(
        &self,
        from: impl Source<'s, 'ctx, T>,
        to: &mut impl Destination<'s, T>,
        flags: CopyFlags,
    ) -> Result {
        let copy = CopyWith::new(from.access(), to.target(), flags)?;
        // SAFETY: both are borrowed until the scope has waited.
        unsafe { self.run(|| copy) }
    }

    /// Copies memory of another context, on this or another device, to a buffer. See
    /// [`SyncStream::copy_from_peer`](crate::SyncStream::copy_from_peer).
    ///
    /// The scope borrows memory that it does not [hold](crate::Scope::hold_peer) until it ends.
    ///
    /// # Errors
    /// The same as for [`copy`](Self::copy).
    #[doc(alias = "cuMemcpyPeerAsync")]
    #[doc(alias = "cuMemcpy3DPeerAsync")]
    #[inline]
    pub fn copy_from_peer<'other, T: Element>(
        &self,
        from: impl Source<'s, 'other, T>,
        to: &mut impl Destination<'s, T>,
    ) -> Result {
        let (from, to) = (&from, &*to);
        if from.access().is_tracked() {
            // The note of the copy there is no proof that the memory belongs to the scope's context.
            self.order.shut_fast_path(self.context());
        }
        // SAFETY: both are borrowed until the scope has waited. What writes `from` is ordered, if the scope holds it.
        unsafe { self.run(move || CopyPeer::from_peer(from.access(), to.target())) }
    }

    /// Copies a buffer to memory of another context, on this or another device. The scope borrows the memory until it
    /// ends. See [`SyncStream::copy_from_peer`](crate::SyncStream::copy_from_peer).
    ///
    /// For memory that the scope [holds](crate::Scope::hold_peer), call [`copy_from_peer`](Self::copy_from_peer) on a
    /// stream of its context.
    ///
    /// # Errors
    /// The same as for [`copy`](Self::copy).
    #[doc(alias = "cuMemcpyPeerAsync")]
    #[doc(alias = "cuMemcpy3DPeerAsync")]
    #[inline]
    pub fn copy_to_peer<'other, T: Element>(
        &self,
        from: impl Source<'s, 'ctx, T>,
        to: &'s mut impl DeviceMemoryMut<'other, T>,
    ) -> Result {
        let (from, to) = (&from, &*to);
        // SAFETY: both are borrowed until the scope has waited; nothing else uses `to` meanwhile.
        unsafe { self.run(move || CopyPeer::to_peer(from.access(), to.access(true))) }
    }

    /// Sets every element to `value`. Elements have 1, 2 or 4 bytes: others do not compile.
    ///
    /// # Errors
    /// The same as for [`upload`](Self::upload).
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD16Async")]
    #[doc(alias = "cuMemsetD32Async")]
    #[doc(alias = "cuMemsetD2D8Async")]
    #[doc(alias = "cuMemsetD2D16Async")]
    #[doc(alias = "cuMemsetD2D32Async")]
    #[doc(alias = "cudaMemsetAsync")]
    #[inline]
    pub fn fill<T: Fillable>(&self, to: &mut impl Destination<'s, T>, value: T) -> Result {
        let to = &*to;
        // SAFETY: the memory is borrowed until the scope has waited.
        unsafe { self.run(move || Fill::value(to.target(), value)) }
    }

    /// Sets every byte to zero, for elements of any size.
    ///
    /// # Errors
    /// The same as for [`upload`](Self::upload).
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD2D8Async")]
    #[inline]
    pub fn zero<T: Element>(&self, to: &mut impl Destination<'s, T>) -> Result {
        let to = &*to;
        // SAFETY: the memory is borrowed until the scope has waited.
        unsafe { self.run(move || Fill::zero(to.target())) }
    }

    /// Moves managed memory to a place, behind what uses it. See
    /// [`SyncStream::prefetch`](crate::SyncStream::prefetch).
    ///
    /// # Errors
    /// The same as for [`SyncStream::prefetch`](crate::SyncStream::prefetch).
    #[doc(alias = "cuMemPrefetchAsync")]
    pub fn prefetch<T: Element>(&self, memory: impl Source<'s, 'ctx, T>, to: Location) -> Result {
        let prefetch = Prefetch::new(memory.access(), to)?;
        // SAFETY: the memory is borrowed until the scope has waited.
        unsafe { self.run(move || prefetch) }
    }

    /// Runs a kernel whose launches are safe: a `GuardedKernel` or a [`TrustedKernel`](crate::TrustedKernel).
    ///
    /// # Errors
    /// [`LaunchRefused`](crate::Error::LaunchRefused) by the check of a [`TrustedKernel`](crate::TrustedKernel); the errors of
    /// [`launch_unchecked`](Self::launch_unchecked).
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchKernelEx")]
    #[doc(alias = "cudaLaunchKernel")]
    #[inline]
    pub fn launch<
        K: SafeKernel<'ctx>,
        A: KernelArgs<'ctx, InScope<'s>> + ArgumentsOf<K::Signature>,
    >(
        &self,
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        kernel.checked_launch(config, args, self.order.watch(), |launch| {
            // SAFETY: the memory among the arguments is borrowed until the scope has waited.
            unsafe { self.run_launch(launch) }
        })
    }

    /// Runs a kernel that nobody vouches for yet. A later call reports its faults.
    ///
    /// # Errors
    /// The same as for [`SyncStream::launch_unchecked`](crate::SyncStream::launch_unchecked).
    ///
    /// # Safety
    /// 1. to 3. of [`SyncStream::launch_unchecked`](crate::SyncStream::launch_unchecked). Work on the other streams of
    ///    the scope is in flight at the same time, unless memory that both use, or an event, orders it.
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchKernelEx")]
    #[doc(alias = "cudaLaunchKernel")]
    #[inline]
    pub unsafe fn launch_unchecked<
        K: Launchable<'ctx>,
        A: KernelArgs<'ctx, InScope<'s>> + ArgumentsOf<K::Signature>,
    >(
        &self,
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        // SAFETY: the caller's obligations 1 to 3.
        let launch = unsafe { Launch::new(kernel.inner(), config, args) };
        // SAFETY: the memory among the arguments is borrowed until the scope has waited.
        unsafe { self.run_launch(launch) }
    }
}

launches! {
    ['s, 'ctx] ScopedStream<'s, 'ctx>, 'ctx, InScope<'s>;
}
