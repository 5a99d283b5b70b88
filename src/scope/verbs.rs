//! What a queue does: copies, fills, launches.
#![allow(unsafe_code, reason = "enqueues work on memory that the scope borrows")]

use super::{Held, Queue, ScopeArgs, Source, StagedMemory};
use crate::enqueue::{self, COPY, DOWNLOAD, UPLOAD, ZERO, same_context, same_len};
use crate::{Element, Function, LaunchSpec, Launchable, Result, launch};

// The context of what an operation uses is compared, and the operation ordered behind earlier ones, by one
// comparison with the gate, or else by `prepare`: see `Gate`.
//
// The obligation of everything in `enqueue`, that nobody disturbs the memory until the stream is past the
// operation: it is borrowed for `'s`, and the scope waits for its streams before that ends; what other
// operations of the scope do with it is ordered by its uses.

/// Enqueues an operation: in the stream as it is if nothing has to be compared or ordered for the memory that it
/// uses, or else behind what it has to come after. It is written into both places, so that nothing is kept ready for
/// the second.
macro_rules! enqueue {
    ($queue:ident, $call:expr, [$($access:expr),*], $work:expr) => {
        if $($access.is_ready($queue.gate))&&* {
            let work = $work;
            work(&$queue.raw)
        } else {
            $queue.behind($call, &[$($access),*], $work)
        }
    };
}

impl<'s, 'ctx> Queue<'s, 'ctx> {
    /// Copies a slice to the device. The slice stays borrowed until the scope ends.
    ///
    /// # Errors
    /// [`LengthMismatch`](crate::Error::LengthMismatch); [`OtherContext`](crate::Error::OtherContext);
    /// [`NotCurrent`](crate::Error::NotCurrent) if queues have to be ordered; a sticky error (F60).
    #[doc(alias = "cuMemcpyHtoDAsync")]
    #[inline]
    pub fn upload<T: Element>(&self, from: &'s [T], to: &mut Held<'s, T>) -> Result {
        to.takes(UPLOAD, from.len())?;
        self.lend_host();
        enqueue!(self, UPLOAD, [to.used(true)], {
            let (host, to, bytes) = (from.as_ptr().cast(), to.address(), size_of_val(from));
            // SAFETY: both have `bytes` bytes, those of `from` are initialised (`Element: NoUninit`), and
            // both stay borrowed: see above.
            move |stream: &_| unsafe { enqueue::upload(*stream, host, to, bytes) }
        })
    }

    /// Copies a buffer to the host. The slice stays borrowed until the scope ends.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoHAsync")]
    #[inline]
    pub fn download<T: Element>(&self, from: impl Source<'s, 'ctx, T>, to: &'s mut [T]) -> Result {
        let source = from.access();
        same_len(DOWNLOAD, source.len, to.len())?;
        self.lend_host();
        enqueue!(self, DOWNLOAD, [source], {
            let (from, host, bytes) = (source.address, to.as_mut_ptr().cast(), size_of_val(to));
            // SAFETY: both have `bytes` bytes, any of which are values of `T` (`Element: AnyBitPattern`),
            // and both stay borrowed: see above.
            move |stream: &_| unsafe { enqueue::download(*stream, from, host, bytes) }
        })
    }

    /// Copies staged memory to the device.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyHtoDAsync")]
    #[inline]
    pub fn upload_staged<T: Element>(
        &self,
        from: &impl StagedMemory<'s, T>,
        to: &mut Held<'s, T>,
    ) -> Result {
        let from = from.stage();
        to.takes(UPLOAD, from.len())?;
        enqueue!(self, UPLOAD, [to.used(true), from.used(false)], {
            let (host, to, bytes) = (from.as_ptr().cast(), to.address(), to.size_bytes());
            // SAFETY: as in `upload`; the host gets staged memory back when this is over.
            move |stream: &_| unsafe { enqueue::upload(*stream, host, to, bytes) }
        })
    }

    /// Copies a buffer to staged memory.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoHAsync")]
    #[inline]
    pub fn download_staged<T: Element>(
        &self,
        from: impl Source<'s, 'ctx, T>,
        to: &mut impl StagedMemory<'s, T>,
    ) -> Result {
        let (source, to) = (from.access(), to.stage());
        same_len(DOWNLOAD, source.len, to.len())?;
        enqueue!(self, DOWNLOAD, [to.used(true), source], {
            let (from, host, bytes) = (source.address, to.as_ptr().cast(), source.bytes());
            // SAFETY: as in `download`; the host gets staged memory back when this is over.
            move |stream: &_| unsafe { enqueue::download(*stream, from, host, bytes) }
        })
    }

    /// Copies a buffer to another.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoDAsync")]
    #[inline]
    pub fn copy<T: Element>(&self, from: impl Source<'s, 'ctx, T>, to: &mut Held<'s, T>) -> Result {
        let source = from.access();
        to.takes(COPY, source.len)?;
        enqueue!(self, COPY, [to.used(true), source], {
            let (from, to, bytes) = (source.address, to.address(), to.size_bytes());
            // SAFETY: both have `bytes` bytes and stay borrowed: see above. They are distinct, as `to` is
            // borrowed exclusively.
            move |stream: &_| unsafe { enqueue::copy(*stream, from, to, bytes) }
        })
    }

    /// Sets every element to `value`. Elements have 1, 2 or 4 bytes: others do not compile.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD16Async")]
    #[doc(alias = "cuMemsetD32Async")]
    #[inline]
    pub fn fill<T: Element>(&self, to: &mut Held<'s, T>, value: T) -> Result {
        const { assert!(matches!(size_of::<T>(), 1 | 2 | 4), "elements have 1, 2 or 4 bytes") };
        let call = enqueue::fill_call(size_of::<T>());
        enqueue!(self, call, [to.used(true)], {
            let (to, len) = (to.address(), to.len());
            move |stream: &_| {
                // SAFETY: `to` has that many elements and stays borrowed: see above.
                unsafe { enqueue::fill(*stream, to, bytemuck::bytes_of(&value), len) }
            }
        })
    }

    /// Sets every byte to zero, for elements of any size.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    #[doc(alias = "cuMemsetD8Async")]
    #[inline]
    pub fn zero<T: Element>(&self, to: &mut Held<'s, T>) -> Result {
        enqueue!(self, ZERO, [to.used(true)], {
            let (to, bytes) = (to.address(), to.size_bytes());
            // SAFETY: `to` has that many bytes and stays borrowed: see above. Zeros are a value
            // (`Element: AnyBitPattern`).
            move |stream: &_| unsafe { enqueue::fill(*stream, to, &[0], bytes) }
        })
    }

    /// Runs a kernel. A fault of it shows in a later call.
    ///
    /// # Errors
    /// As [`OnStream::launch`](crate::OnStream::launch); [`NotCurrent`](crate::Error::NotCurrent) if
    /// queues have to be ordered.
    ///
    /// # Safety
    /// 1. to 3. of [`OnStream::launch`](crate::OnStream::launch). Work on the other queues of the scope is in
    ///    flight at the same time, unless memory that both name, or an event, orders it.
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
        if args.all_ready(self.gate) {
            // SAFETY: the caller's obligations 1 to 3.
            unsafe { self.launch_now(function, config, args) }
        } else {
            // SAFETY: as above.
            unsafe { self.launch_behind(function, config, args) }
        }
    }

    /// # Safety
    /// 1. to 3. of [`OnStream::launch`](crate::OnStream::launch).
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
    /// 1. to 3. of [`OnStream::launch`](crate::OnStream::launch).
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
