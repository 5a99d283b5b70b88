//! The operations of a stream: copies, fills, launches.
#![allow(unsafe_code, reason = "enqueues work on memory that the scope borrows")]

use super::{Destination, ScopeArgs, ScopedHostMemory, ScopedStream, Source};
use crate::args::sealed::Operands;
use crate::error::Result;
use crate::function::Function;
use crate::kernel::Launchable;
use crate::launch;
use crate::launch::LaunchSpec;
use crate::memory::Element;
use crate::memory::access::Access;
use crate::ops::enqueue::same_context;
use crate::ops::{Copy, Download, Fill, Operation, Upload};
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
            // SAFETY: 1. As above. 2. The stream is there, and what other operations of the scope do with the memory is ordered by
            // its uses. The rest is the caller's obligation 1.
            unsafe { now.enqueue(self.raw) }
        } else {
            // SAFETY: 1. The caller's obligation 1. 2. As above.
            unsafe { self.run_behind(operation) }
        }
    }

    /// # Safety
    /// 1. As for [`run`](Self::run).
    /// 2. The operation was [checked](Operation::check).
    #[cold]
    #[inline(never)]
    unsafe fn run_behind<O: Operation>(self, operation: impl Fn() -> O) -> Result {
        let operation = operation();
        let prepare = |accesses: &[Access<'_>]| self.prepare(operation.call(), accesses);
        operation.uses().with_accesses(prepare)?;
        // SAFETY: 1. The caller's obligation 2. 2. As in `run`.
        unsafe { operation.enqueue(self.raw) }
    }

    /// Copies a slice to the device. The scope borrows the slice until it ends.
    ///
    /// # Errors
    /// [`LengthMismatch`](crate::Error::LengthMismatch); [`OtherContext`](crate::Error::OtherContext);
    /// [`NotCurrent`](crate::Error::NotCurrent) if streams have to be ordered; a sticky error
    /// ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuMemcpyHtoDAsync")]
    #[inline]
    pub fn upload<T: Element>(&self, from: &'s [T], to: &mut impl Destination<'s, T>) -> Result {
        let to = &*to;
        self.lend_host();
        // SAFETY: both are borrowed until the scope has waited.
        unsafe { self.run(move || Upload::new(from, to.target())) }
    }

    /// Copies a buffer to the host. The scope borrows the slice until it ends.
    ///
    /// # Errors
    /// The same as for [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoHAsync")]
    #[inline]
    pub fn download<T: Element>(&self, from: impl Source<'s, 'ctx, T>, to: &'s mut [T]) -> Result {
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
        to: &mut impl Destination<'s, T>,
    ) -> Result {
        let (from, to) = (from.stage(), &*to);
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
    #[inline]
    pub fn download_staged<T: Element>(
        &self,
        from: impl Source<'s, 'ctx, T>,
        to: &mut impl ScopedHostMemory<'s, T>,
    ) -> Result {
        let (from, to) = (&from, to.stage());
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
        to: &mut impl Destination<'s, T>,
    ) -> Result {
        let (from, to) = (&from, &*to);
        // SAFETY: both are borrowed until the scope has waited.
        unsafe { self.run(move || Copy::new(from.access(), to.target())) }
    }

    /// Sets every element to `value`. Elements have 1, 2 or 4 bytes: others do not compile.
    ///
    /// # Errors
    /// The same as for [`upload`](Self::upload).
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD16Async")]
    #[doc(alias = "cuMemsetD32Async")]
    #[inline]
    pub fn fill<T: Element>(&self, to: &mut impl Destination<'s, T>, value: T) -> Result {
        let to = &*to;
        // SAFETY: the memory is borrowed until the scope has waited.
        unsafe { self.run(move || Fill::value(to.target(), value)) }
    }

    /// Sets every byte to zero, for elements of any size.
    ///
    /// # Errors
    /// The same as for [`upload`](Self::upload).
    #[doc(alias = "cuMemsetD8Async")]
    #[inline]
    pub fn zero<T: Element>(&self, to: &mut impl Destination<'s, T>) -> Result {
        let to = &*to;
        // SAFETY: the memory is borrowed until the scope has waited.
        unsafe { self.run(move || Fill::zero(to.target())) }
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
    pub unsafe fn launch<A: ScopeArgs<'s, 'ctx>>(
        &self,
        kernel: &impl Launchable<'ctx, A>,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        let function = kernel.function();
        if args.any_host() {
            self.lend_host();
        }
        if config.is_extended() {
            let own = self.context().key();
            same_context(config.call(), function.key() == own && config.all_of(own))?;
        }
        if args.all_ready(self.fast_path) {
            // SAFETY: the caller's obligations 1 to 3.
            unsafe { self.launch_now(function, config, args) }
        } else {
            // SAFETY: as above.
            unsafe { self.launch_behind(function, config, args) }
        }
    }

    /// # Safety
    /// 1. to 3. of [`SyncStream::launch`](crate::SyncStream::launch).
    #[cold]
    #[inline(never)]
    unsafe fn launch_behind<A: ScopeArgs<'s, 'ctx>>(
        self,
        function: &Function<'ctx>,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        args.with_accesses(|accesses| self.prepare(config.call(), accesses))?;
        // SAFETY: the caller's obligations 1 to 3.
        unsafe { self.launch_now(function, config, args) }
    }

    /// # Safety
    /// 1. to 3. of [`SyncStream::launch`](crate::SyncStream::launch).
    #[inline]
    unsafe fn launch_now<A: ScopeArgs<'s, 'ctx>>(
        &self,
        function: &Function<'ctx>,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        let refused = |call, code| launch::refused(call, code, function, &self.context().key());
        // SAFETY: 1. The memory among the arguments stays borrowed: see above. 2. The caller's
        // obligations 1 to 3.
        unsafe { launch::launch(&self.raw, function, &config, args, refused) }
    }
}
