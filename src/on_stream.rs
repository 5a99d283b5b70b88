//! Work on a stream, one operation at a time.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::enqueue::{self, same_len};
use crate::error::{Error, check};
use crate::wait::wait_for_memory;
use crate::{
    Context, DeviceBuffer, Element, Event, Function, KernelArgs, LaunchConfig, PushedGuard, Result,
    Stream,
};
use ffi::CUstream;

/// Operations on one stream: [`PushedGuard::on`]. Each is complete when it returns, so nothing is in
/// flight in between (invariant `idle-outside`). The methods named `…_unscoped` return at once and are
/// `unsafe` for it.
///
/// None of them needs a current context or compares it (F30, F34): the driver calls are those of C.
#[derive(Clone, Copy, Debug)]
pub struct OnStream<'g, 'ctx> {
    stream: &'g Stream<'ctx>,
}

impl<'ctx> PushedGuard<'ctx> {
    /// Operations on a stream of this guard, one at a time.
    #[must_use]
    pub fn on<'g>(&'g self, stream: &'g Stream<'ctx>) -> OnStream<'g, 'ctx> {
        OnStream { stream }
    }
}

impl<'ctx> OnStream<'_, 'ctx> {
    pub(crate) fn stream(&self) -> &Stream<'ctx> {
        self.stream
    }

    pub(crate) fn raw(&self) -> CUstream {
        self.stream.raw()
    }

    pub(crate) fn context(&self) -> &Context {
        self.stream.context()
    }

    /// Brands can coincide where a guard's place is leaked; handles cannot (invariant `own-context`).
    #[inline]
    fn same(&self, call: &'static str, context: &Context) -> Result {
        if self.stream.context() == context { Ok(()) } else { Err(Error::OtherContext { call }) }
    }

    /// Copies a slice to the device and waits.
    ///
    /// # Errors
    /// [`LengthMismatch`](Error::LengthMismatch); [`OtherContext`](Error::OtherContext); a sticky
    /// error (F60).
    #[doc(alias = "cuMemcpyHtoDAsync")]
    #[doc(alias = "cuMemcpyHtoD")]
    pub fn upload<T: Element>(&self, from: &[T], to: &mut DeviceBuffer<'ctx, T>) -> Result {
        const CALL: &str = enqueue::UPLOAD;
        same_len(CALL, from.len(), to.len())?;
        self.same(CALL, to.context())?;
        let (source, bytes) = (from.as_ptr().cast(), to.size_bytes());
        // SAFETY: 1. `to` is a live allocation of `bytes` bytes, borrowed exclusively until the wait
        // below is over. 2. `from` has `bytes` bytes, all initialised (`Element: NoUninit`), and is
        // borrowed as long. 3. The stream is alive; no context need be current (F34).
        unsafe { enqueue::upload(self.raw(), source, to.address(), bytes) }?;
        self.finish()
    }

    /// Copies a buffer to the host and waits.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoHAsync")]
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn download<T: Element>(&self, from: &DeviceBuffer<'ctx, T>, to: &mut [T]) -> Result {
        const CALL: &str = enqueue::DOWNLOAD;
        same_len(CALL, from.len(), to.len())?;
        self.same(CALL, from.context())?;
        let (destination, bytes) = (to.as_mut_ptr().cast(), from.size_bytes());
        // SAFETY: 1. `from` is a live allocation of `bytes` bytes, and nothing writes it meanwhile: it
        // is borrowed until the wait below is over. 2. `to` has `bytes` bytes, borrowed exclusively as
        // long, and any bytes are values of `T` (`Element: AnyBitPattern`). 3. The stream is alive; no
        // context need be current (F34).
        unsafe { enqueue::download(self.raw(), from.address(), destination, bytes) }?;
        self.finish()
    }

    /// Copies a buffer to another and waits.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoDAsync")]
    #[doc(alias = "cuMemcpyDtoD")]
    pub fn copy<T: Element>(
        &self,
        from: &DeviceBuffer<'ctx, T>,
        to: &mut DeviceBuffer<'ctx, T>,
    ) -> Result {
        const CALL: &str = enqueue::COPY;
        same_len(CALL, from.len(), to.len())?;
        self.same(CALL, from.context())?;
        self.same(CALL, to.context())?;
        let bytes = from.size_bytes();
        // SAFETY: 1. Both are live allocations of `bytes` bytes, distinct since one is borrowed
        // exclusively, and stay borrowed until the wait below is over. 2. The stream is alive; no
        // context need be current (F34).
        unsafe { enqueue::copy(self.raw(), from.address(), to.address(), bytes) }?;
        self.finish()
    }

    /// Sets every element to `value` and waits. Elements have 1, 2 or 4 bytes: others do not compile.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext); a sticky error (F60).
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD16Async")]
    #[doc(alias = "cuMemsetD32Async")]
    pub fn fill<T: Element>(&self, buffer: &mut DeviceBuffer<'ctx, T>, value: T) -> Result {
        // SAFETY: the buffer stays borrowed exclusively until the wait below is over.
        unsafe { self.fill_unscoped(buffer, value) }?;
        self.finish()
    }

    /// As [`fill`](Self::fill), without the wait: one driver call.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    ///
    /// # Safety
    /// 1. Until the stream was synchronized, nothing else uses the buffer's memory: no other stream,
    ///    no other operation through this crate, and it is not dropped (a leak is fine).
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD16Async")]
    #[doc(alias = "cuMemsetD32Async")]
    pub unsafe fn fill_unscoped<T: Element>(
        &self,
        buffer: &mut DeviceBuffer<'ctx, T>,
        value: T,
    ) -> Result {
        const { assert!(matches!(size_of::<T>(), 1 | 2 | 4), "elements have 1, 2 or 4 bytes") };
        self.same(enqueue::fill_call(size_of::<T>()), buffer.context())?;
        let (address, len, value) = (buffer.address(), buffer.len(), bytemuck::bytes_of(&value));
        // SAFETY: a live allocation of `len` elements; that nothing else uses it is the caller's
        // obligation 1. The stream is alive.
        unsafe { enqueue::fill(self.raw(), address, value, len) }
    }

    /// Sets every byte to zero and waits, for elements of any size.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    #[doc(alias = "cuMemsetD8Async")]
    pub fn zero<T: Element>(&self, buffer: &mut DeviceBuffer<'ctx, T>) -> Result {
        self.same(enqueue::ZERO, buffer.context())?;
        let (address, bytes) = (buffer.address(), buffer.size_bytes());
        // SAFETY: a live allocation of `bytes` bytes, borrowed exclusively until the wait below is
        // over; zeros are a value (`Element: AnyBitPattern`). The stream is alive; no context need be
        // current (F34).
        unsafe { enqueue::fill(self.raw(), address, &[0], bytes) }?;
        self.finish()
    }

    /// Runs a kernel and waits for it.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for extents of 0 or over the device's limits (F61), or no arguments
    /// for a kernel that has some (F93); [`OtherContext`](Error::OtherContext); a sticky error if the
    /// kernel faults (F60): the process can then no longer use the GPU.
    ///
    /// # Safety
    /// 1. The arguments are those of the kernel: as many, in order, each of the parameter's size and
    ///    meaning.
    /// 2. The kernel accesses memory only through its arguments and its module's variables, inside
    ///    the buffers, and writes only `&mut` ones. Two threads of it that race on an address leave
    ///    unspecified bytes there and do nothing worse.
    /// 3. What the kernel needs of the launch is given: block shape, shared memory.
    #[doc(alias = "cuLaunchKernel")]
    pub unsafe fn launch(
        &self,
        function: &Function<'ctx>,
        config: LaunchConfig,
        args: impl KernelArgs<'ctx>,
    ) -> Result {
        // SAFETY: obligations 1 to 3 are the caller's. 4: the arguments' borrows last until the wait
        // below is over.
        unsafe { self.launch_unscoped(function, config, args) }?;
        self.finish()
    }

    /// As [`launch`](Self::launch), without the wait: one driver call. A fault of the kernel shows in
    /// a later one.
    ///
    /// # Errors
    /// As [`launch`](Self::launch).
    ///
    /// # Safety
    /// 1. to 3. of [`launch`](Self::launch).
    /// 4. Until the stream was synchronized, nothing else writes the buffers among the arguments, or
    ///    uses those that the kernel writes: no other stream, no other operation through this crate;
    ///    and none is dropped (a leak is fine).
    #[doc(alias = "cuLaunchKernel")]
    #[inline]
    pub unsafe fn launch_unscoped(
        &self,
        function: &Function<'ctx>,
        config: LaunchConfig,
        args: impl KernelArgs<'ctx>,
    ) -> Result {
        const CALL: &str = enqueue::LAUNCH;
        self.same(CALL, function.context())?;
        if !args.all_of(self.stream.context()) {
            return Err(Error::OtherContext { call: CALL });
        }
        // SAFETY: the stream is alive and of the function's context; the rest is the caller's
        // obligations 1 to 4.
        unsafe { enqueue::launch(self.raw(), function, config, args) }
    }

    /// Records an event behind what the stream holds.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext); a sticky error (F60).
    #[doc(alias = "cuEventRecord")]
    pub fn record(&self, event: &Event<'ctx>) -> Result {
        const CALL: &str = "cuEventRecord";
        self.same(CALL, event.context())?;
        // SAFETY: both handles are alive and of one context (F36), which need not be current.
        Ok(check(CALL, unsafe { ffi::cuEventRecord(event.raw(), self.raw()) })?)
    }

    /// Makes what comes next in the stream wait for an event, which may be of another context (F36).
    ///
    /// # Errors
    /// A sticky error (F60).
    #[doc(alias = "cuStreamWaitEvent")]
    pub fn wait(&self, event: &Event<'_>) -> Result {
        // SAFETY: both handles are alive, and no context need be current.
        Ok(check("cuStreamWaitEvent", unsafe {
            ffi::cuStreamWaitEvent(self.raw(), event.raw(), 0)
        })?)
    }

    /// Waits until the stream no longer touches any memory.
    pub(crate) fn finish(&self) -> Result {
        // SAFETY: the stream is alive; needs no current context (F37).
        wait_for_memory("cuStreamSynchronize", || unsafe { ffi::cuStreamSynchronize(self.raw()) })
    }
}
