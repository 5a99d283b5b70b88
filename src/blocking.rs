//! Operations on a stream that are complete when they return, of whatever kind the stream is.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{Answer, Later, answer, name};
use crate::enqueue::{self, COPY, DOWNLOAD, UPLOAD, ZERO, refused, same_context, same_len};
use crate::error::means_not_taken;
use crate::memory::LentHost;
use crate::memory::view::View;
use crate::wait::wait_for_memory;
use crate::{
    Context, DeviceMemory, DeviceMemoryMut, Element, Error, Event, Function, KernelArgs,
    LaunchSpec, Result, launch,
};
use ffi::{CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, CUresult, CUstream};
use std::marker::PhantomData;
use std::time::Duration;

pub(crate) const RECORD: &str = name!(cuEventRecord);

/// A stream that is there for `'a`, and the [key](Context::key) of its context.
#[derive(Clone, Copy)]
pub(crate) struct Blocking<'a> {
    raw: CUstream,
    key: usize,
    stream: PhantomData<&'a Context>,
}

impl<'a> Blocking<'a> {
    /// # Safety
    /// 1. The stream is alive for `'a`, and of the context with this key. For a default stream, that is current
    ///    on this thread until the last operation has returned.
    #[inline]
    pub(crate) unsafe fn new(raw: CUstream, key: usize) -> Self {
        Blocking { raw, key, stream: PhantomData }
    }

    #[inline]
    fn same(&self, call: &'static str, memory: View<'_>) -> Result {
        same_context(call, memory.key() == self.key)
    }

    #[inline]
    pub(crate) fn upload<'ctx, T: Element>(
        &self,
        from: &[T],
        to: &mut impl DeviceMemoryMut<'ctx, T>,
    ) -> Result {
        let to = to.view();
        same_len(UPLOAD, from.len(), to.len)?;
        self.same(UPLOAD, to)?;
        // SAFETY: 1. `to` lies in a live allocation, has `size_of_val(from)` bytes, and is borrowed
        // exclusively until the wait below is over. 2. The bytes of `from` are initialised
        // (`Element: NoUninit`), and borrowed as long. 3. The stream is there.
        let enqueued = unsafe {
            enqueue::upload(self.raw, from.as_ptr().cast(), to.address, size_of_val(from))
        };
        self.complete(enqueued, LentHost::new(from.as_ptr().cast(), size_of_val(from)))
    }

    #[inline]
    pub(crate) fn download<'ctx, T: Element>(
        &self,
        from: &impl DeviceMemory<'ctx, T>,
        to: &mut [T],
    ) -> Result {
        let from = from.view();
        same_len(DOWNLOAD, from.len, to.len())?;
        self.same(DOWNLOAD, from)?;
        let (target, bytes) = (to.as_mut_ptr().cast(), size_of_val(to));
        // SAFETY: 1. `from` lies in a live allocation, has `bytes` bytes, and nothing writes it
        // meanwhile: it is borrowed until the wait below is over. 2. `to` has `bytes` bytes, borrowed
        // exclusively as long, and any bytes are values of `T` (`Element: AnyBitPattern`). 3. The
        // stream is there.
        let enqueued = unsafe { enqueue::download(self.raw, from.address, target, bytes) };
        self.complete(enqueued, LentHost::new(target, bytes))
    }

    #[inline]
    pub(crate) fn copy<'ctx, T: Element>(
        &self,
        from: &impl DeviceMemory<'ctx, T>,
        to: &mut impl DeviceMemoryMut<'ctx, T>,
    ) -> Result {
        let (from, to) = (from.view(), to.view());
        same_len(COPY, from.len, to.len)?;
        self.same(COPY, from)?;
        self.same(COPY, to)?;
        // SAFETY: 1. Both lie in live allocations, have that many bytes and do not overlap, since one is
        // borrowed exclusively, and stay borrowed until the wait below is over. 2. The stream is there.
        let enqueued = unsafe { enqueue::copy(self.raw, from.address, to.address, bytes::<T>(to)) };
        self.complete(enqueued, LentHost::NONE)
    }

    #[inline]
    pub(crate) fn fill<'ctx, T: Element>(
        &self,
        to: &mut impl DeviceMemoryMut<'ctx, T>,
        value: T,
    ) -> Result {
        // SAFETY: the memory stays borrowed exclusively until the wait below is over.
        let enqueued = unsafe { self.fill_unscoped(to, value) };
        self.complete(enqueued, LentHost::NONE)
    }

    /// # Safety
    /// 1. Until the stream was synchronized, nothing else uses the memory.
    #[inline]
    pub(crate) unsafe fn fill_unscoped<'ctx, T: Element>(
        &self,
        to: &mut impl DeviceMemoryMut<'ctx, T>,
        value: T,
    ) -> Result {
        const { assert!(matches!(size_of::<T>(), 1 | 2 | 4), "elements have 1, 2 or 4 bytes") };
        let to = to.view();
        self.same(enqueue::fill_call(size_of::<T>()), to)?;
        // SAFETY: `to.len` elements of a live allocation; that nothing else uses them is the caller's
        // obligation 1. The stream is there.
        unsafe { enqueue::fill(self.raw, to.address, bytemuck::bytes_of(&value), to.len) }
    }

    #[inline]
    pub(crate) fn zero<'ctx, T: Element>(&self, to: &mut impl DeviceMemoryMut<'ctx, T>) -> Result {
        let to = to.view();
        self.same(ZERO, to)?;
        // SAFETY: that many bytes of a live allocation, borrowed exclusively until the wait below is
        // over; zeros are a value (`Element: AnyBitPattern`). The stream is there.
        let enqueued = unsafe { enqueue::fill(self.raw, to.address, &[0], bytes::<T>(to)) };
        self.complete(enqueued, LentHost::NONE)
    }

    /// # Safety
    /// 1. to 3. of [`OnStream::launch`](crate::OnStream::launch).
    #[inline]
    pub(crate) unsafe fn launch<'ctx>(
        &self,
        function: &Function<'ctx>,
        config: impl LaunchSpec<'ctx>,
        args: impl KernelArgs<'ctx>,
    ) -> Result {
        let host = if args.any_host() { LentHost::ANY } else { LentHost::NONE };
        // SAFETY: obligations 1 to 3 are the caller's. 4: the arguments' borrows last until the wait
        // below is over.
        let enqueued = unsafe { self.launch_unscoped(function, config, args) };
        self.complete(enqueued, host)
    }

    /// # Safety
    /// 1. to 4. of [`OnStream::launch_unscoped`](crate::OnStream::launch_unscoped).
    #[inline]
    pub(crate) unsafe fn launch_unscoped<'ctx>(
        &self,
        function: &Function<'ctx>,
        config: impl LaunchSpec<'ctx>,
        args: impl KernelArgs<'ctx>,
    ) -> Result {
        let key = self.key;
        if config.is_extended() {
            same_context(config.call(), function.key() == key && config.all_of(key))?;
        }
        same_context(config.call(), args.all_of(key))?;
        let refused = |call, code| launch::refused(call, code, function, &self.key);
        // SAFETY: the stream is there, and the driver refuses a function that is not of its context; the
        // rest is the caller's obligations 1 to 4.
        unsafe { launch::launch(&self.raw, function, &config, args, refused) }
    }

    #[inline]
    pub(crate) fn record(&self, event: &Event<'_>) -> Result {
        // SAFETY: event and stream are there; the driver refuses an event of another context (F36).
        match unsafe { answer!(cuEventRecord(event.raw(), self.raw)) } {
            Answer { code: ffi::CUDA_SUCCESS, .. } => Ok(()),
            Answer { call, code } => record_refused(call, code, event, self.key),
        }
    }

    #[inline]
    pub(crate) fn wait(&self, event: &Event<'_>) -> Result {
        // SAFETY: event and stream are there.
        unsafe { answer!(cuStreamWaitEvent(self.raw, event.raw(), 0)) }.result()
    }

    /// Waits until the stream no longer touches the memory of an operation, given what the call answered that
    /// was to enqueue it. `host` is the memory of the host among that.
    ///
    /// # Errors
    /// That of the call, else of the wait.
    #[inline]
    pub(crate) fn complete(&self, enqueued: Result, host: LentHost) -> Result {
        match enqueued {
            Ok(()) => self.finish(host),
            Err(error) => self.not_complete(error, host),
        }
    }

    /// Waits all the same if the error does not prove that nothing was enqueued.
    #[cold]
    #[inline(never)]
    fn not_complete(&self, error: Error, host: LentHost) -> Result {
        if error.code().is_some_and(|code| !means_not_taken(code)) {
            // A call that enqueues is never the first to report a fault (F108), and behind the report nothing is
            // taken (F60).
            let taken = if error.is_sticky() { LentHost::NONE } else { host };
            // The first error is the one to tell. What cannot be waited for ends the process.
            let _waited = self.finish(taken);
        }
        Err(error)
    }

    /// Waits until the stream no longer touches any memory.
    ///
    /// The legacy stream is refused the wait while a blocking stream of its context is under capture
    /// (F143). Another thread began that since the work was enqueued, and will end it.
    #[inline]
    fn finish(&self, host: LentHost) -> Result {
        let raw = self.raw;
        let make = move || {
            // SAFETY: the stream is there (F37).
            match unsafe { ffi::cuStreamSynchronize(raw) } {
                ffi::CUDA_SUCCESS => ffi::CUDA_SUCCESS,
                // SAFETY: as above.
                code => unsafe { not_yet(raw, code) },
            }
        };
        wait_for_memory(Later { call: name!(cuStreamSynchronize), make }, self.key, host)
    }
}

/// Waits once more while the answer is that of the legacy stream beside a capture.
///
/// # Safety
/// 1. The stream is there.
#[cold]
#[inline(never)]
unsafe fn not_yet(raw: CUstream, mut code: CUresult) -> CUresult {
    while code == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT {
        std::thread::sleep(Duration::from_micros(100));
        // SAFETY: the caller's obligation 1.
        code = unsafe { ffi::cuStreamSynchronize(raw) };
    }
    code
}

/// The error of a record of an event in a stream of the context with this key.
#[cold]
#[inline(never)]
pub(crate) fn record_refused(
    call: &'static str,
    code: CUresult,
    event: &Event<'_>,
    key: usize,
) -> Result {
    refused(Answer::new(call, code), event.context().key() == key)
}

fn bytes<T>(view: View<'_>) -> usize {
    view.len * size_of::<T>()
}
