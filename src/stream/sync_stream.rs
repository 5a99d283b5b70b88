//! Single operations on a stream.
#![allow(unsafe_code, reason = "launches kernels, and says that a handle may be shared")]

use crate::args::KernelArgs;
use crate::args::sealed::Operands;
use crate::brand::Brand;
use crate::call::name;
use crate::context::Context;
use crate::error::Result;
use crate::event::Event;
use crate::kernel::{ArgumentsOf, Launchable, SafeKernel, launches};
use crate::launch::{LaunchSpec, Spec};
use crate::memory::watch::OneLaunch;
use crate::memory::{
    Attachment, CopyFlags, DeviceBuffer, DeviceMemory, DeviceMemoryMut, Element, Fillable, InCall,
    Location,
};
use crate::ops::{
    Attach, Copy, CopyBatch, CopyPeer, CopyWith, Discard, Download, Fill, Launch, Operation,
    Prefetch, Upload,
};
use crate::registry::LentHost;
use crate::stack::PushedGuard;
use crate::stream::Stream;
use crate::stream::blocking::{Blocking, RECORD};
use ffi::CUstream;
use sealed::Enter;
use static_assertions::assert_impl_all;
use std::fmt;
use std::marker::PhantomData;

/// Operations on one stream that wait until they are complete, from [`PushedGuard::on`].
///
/// `S` is the stream: one that the program created, or a default stream, as in
/// [`SyncDefaultStream`](super::SyncDefaultStream). Each operation of a default stream also returns
/// [`NotCurrent`](crate::Error::NotCurrent) if foreign code changed the current context.
///
/// Each operation is complete when it returns, so nothing is in flight between operations (invariant
/// [`idle-outside`](crate::soundness#idle-outside)). To run several operations at once, use a
/// [scope](PushedGuard::scope). The methods named `…_unscoped` return before the work is done. They are
/// `unsafe` for this reason.
///
/// An operation on no elements makes no driver call, and neither does a launch of an [empty
/// grid](crate::LaunchConfig::is_empty). What it is given is checked all the same.
///
/// On a stream of the program, no operation needs or checks the current context ([F30](crate::driver_facts#F30),
/// [F34](crate::driver_facts#F34)). The driver calls are those of C.
///
/// # Examples
/// ```
/// use cuscope::{Context, ContextFlags, ContextStack, Device};
///
/// # fn main() -> cuscope::Result {
/// let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
/// let stream = gpu.stream()?;
/// let (mut x, mut y) = (gpu.alloc(3)?, gpu.alloc(3)?);
/// gpu.on(&stream).upload(&[1_u32, 2, 3], &mut x)?;
/// gpu.on(&stream).copy(&x, &mut y)?;
/// let mut host = [0; 3];
/// gpu.on(&stream).download(&y, &mut host)?;
/// assert_eq!(host, [1, 2, 3]);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy)]
pub struct SyncStream<'g, 'ctx, S = OwnStream<'g, 'ctx>> {
    pub(super) on: S,
    _of: (PhantomData<&'g ()>, Brand<'ctx>),
}

/// The stream of a [`SyncStream`]: a [`Stream`] of the program, or a [`DefaultStream`](super::DefaultStream). Sealed.
///
/// A function that takes `SyncStream<'_, 'ctx, S>` with `S: SyncMode` works on both.
pub trait SyncMode: sealed::Enter {}
impl SyncMode for OwnStream<'_, '_> {}

pub(super) mod sealed {
    use super::*;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `SyncMode`, which is sealed",
        label = "only `OwnStream` and `DefaultStream` do"
    )]
    pub trait Enter {
        /// Calls `work` with the stream, which the driver knows at least until `work` returns.
        fn enter<R>(
            &self,
            call: &'static str,
            work: impl FnOnce(&Blocking<'_>) -> Result<R>,
        ) -> Result<R>;
    }
}

/// A stream that the program created.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "`SyncStream` has one")]
pub struct OwnStream<'g, 'ctx> {
    stream: &'g Stream<'ctx>,
    pub(super) blocking: Blocking<'g>,
}

impl Enter for OwnStream<'_, '_> {
    #[inline(always)]
    fn enter<R>(
        &self,
        _call: &'static str,
        work: impl FnOnce(&Blocking<'_>) -> Result<R>,
    ) -> Result<R> {
        work(&self.blocking)
    }
}
// SAFETY: beside the stream, which is `Sync`, this holds its handle, which is not tied to a thread and is
// never changed: it is no default stream's.
unsafe impl Send for OwnStream<'_, '_> {}
// SAFETY: as for `Send`.
unsafe impl Sync for OwnStream<'_, '_> {}
assert_impl_all!(SyncStream<'static, 'static>: Send, Sync);

/// # Operations on a stream
impl<'ctx> PushedGuard<'ctx> {
    /// Returns the operations on a stream of this guard. Each waits until it is complete.
    #[must_use]
    #[inline]
    pub fn on<'g>(&'g self, stream: &'g Stream<'ctx>) -> SyncStream<'g, 'ctx> {
        // SAFETY: 1. The stream is borrowed for `'g`, and no default stream.
        let blocking = unsafe { Blocking::new(stream.raw(), stream.context().key()) };
        SyncStream::new(OwnStream { stream, blocking })
    }
}

impl<S> SyncStream<'_, '_, S> {
    #[inline]
    pub(super) fn new(on: S) -> Self {
        SyncStream { on, _of: (PhantomData, Brand::new()) }
    }
}

/// # Operations
impl<'ctx, S: SyncMode> SyncStream<'_, 'ctx, S> {
    /// Enqueues an operation and waits for it.
    ///
    /// # Safety
    /// 1. All memory of the operation is alive, and borrowed as the operation uses it until this returns.
    #[inline]
    unsafe fn run(&self, operation: impl Operation) -> Result {
        // SAFETY: the caller's obligation 1.
        self.on.enter(operation.call(), |stream| unsafe { stream.run(operation) })
    }

    #[inline]
    fn run_launch<P: Spec, A: Operands>(&self, launch: Launch<'_, P, A>) -> Result {
        // SAFETY: 1. The memory among the arguments is borrowed as it is used, until this returns.
        unsafe { self.run(launch) }
    }

    /// Copies a slice to the device and waits.
    ///
    /// # Errors
    /// [`LengthMismatch`](crate::Error::LengthMismatch); [`OtherContext`](crate::Error::OtherContext); a sticky
    /// error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuMemcpyHtoDAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    #[doc(alias = "cuMemcpyHtoD")]
    #[doc(alias = "cudaMemcpy")]
    #[doc(alias = "memcpy_htod")]
    #[inline]
    pub fn upload<T: Element>(&self, from: &[T], to: &mut impl DeviceMemoryMut<'ctx, T>) -> Result {
        // SAFETY: both are borrowed as they are used, until this returns.
        unsafe { self.run(Upload::new(from, to.access(true))) }
    }

    /// Copies device memory to the host and waits.
    ///
    /// # Errors
    /// The errors of [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoHAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    #[doc(alias = "cuMemcpyDtoH")]
    #[doc(alias = "cudaMemcpy")]
    #[doc(alias = "memcpy_dtoh")]
    #[inline]
    pub fn download<T: Element>(&self, from: &impl DeviceMemory<'ctx, T>, to: &mut [T]) -> Result {
        // SAFETY: both are borrowed as they are used, until this returns.
        unsafe { self.run(Download::new(from.access(false), to)) }
    }

    /// Copies device memory to other device memory and waits.
    ///
    /// Two memories with rows must have the same extent. Memory without rows holds them packed.
    ///
    /// # Errors
    /// The errors of [`upload`](Self::upload); [`ExtentMismatch`](crate::Error::ExtentMismatch).
    #[doc(alias = "cuMemcpyDtoDAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    #[doc(alias = "cuMemcpyDtoD")]
    #[doc(alias = "cudaMemcpy")]
    #[doc(alias = "memcpy_dtod")]
    #[inline]
    pub fn copy<T: Element>(
        &self,
        from: &impl DeviceMemory<'ctx, T>,
        to: &mut impl DeviceMemoryMut<'ctx, T>,
    ) -> Result {
        // SAFETY: both are borrowed as they are used, until this returns.
        unsafe { self.run(Copy::new(from.access(false), to.access(true))) }
    }

    /// Copies memory of another context, on this or another device, to memory of this one and waits.
    ///
    /// The copy needs no [peer access](PushedGuard::enable_peer_access). With it, the driver does not stage the copy in
    /// host memory. Two memories with rows must have the same extent. Memory without rows holds them packed.
    ///
    /// # Errors
    /// The errors of [`copy`](Self::copy).
    ///
    /// # Examples
    /// ```
    /// use cuscope::{Context, ContextStack, Device};
    ///
    /// # fn main() -> cuscope::Result {
    /// let contexts: Vec<_> = Device::all()?.into_iter().map(Context::primary).collect::<Result<_, _>>()?;
    /// let (first, last) = (&contexts[0], &contexts[contexts.len() - 1]);
    /// let mut stack = ContextStack::current_thread()?;
    /// let mut gpu = stack.push(first)?;
    /// let stream = gpu.stream()?;
    /// let x = gpu.on(&stream).from_slice(&[1_u32, 2, 3])?;
    ///
    /// let gpu = gpu.push(last)?; // covers the guard of the first device, not its memory
    /// let stream = gpu.stream()?;
    /// let mut y = gpu.alloc(3)?;
    /// gpu.on(&stream).copy_from_peer(&x, &mut y)?;
    /// assert_eq!(gpu.on(&stream).to_vec(&y)?, [1, 2, 3]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuMemcpyPeerAsync")]
    #[doc(alias = "cuMemcpy3DPeerAsync")]
    #[doc(alias = "cuMemcpyPeer")]
    #[doc(alias = "cudaMemcpyPeer")]
    #[inline]
    pub fn copy_from_peer<'other, T: Element>(
        &self,
        from: &impl DeviceMemory<'other, T>,
        to: &mut impl DeviceMemoryMut<'ctx, T>,
    ) -> Result {
        // SAFETY: both are borrowed as they are used, until this returns.
        unsafe { self.run(CopyPeer::from_peer(from.access(false), to.access(true))) }
    }

    /// Copies memory of this context to memory of another one, on this or another device, and waits. See
    /// [`copy_from_peer`](Self::copy_from_peer).
    ///
    /// # Errors
    /// The errors of [`copy`](Self::copy).
    #[doc(alias = "cuMemcpyPeerAsync")]
    #[doc(alias = "cuMemcpy3DPeerAsync")]
    #[doc(alias = "cuMemcpyPeer")]
    #[inline]
    pub fn copy_to_peer<'other, T: Element>(
        &self,
        from: &impl DeviceMemory<'ctx, T>,
        to: &mut impl DeviceMemoryMut<'other, T>,
    ) -> Result {
        // SAFETY: both are borrowed as they are used, until this returns.
        unsafe { self.run(CopyPeer::to_peer(from.access(false), to.access(true))) }
    }

    /// Sets every element to `value` and waits. Elements must have 1, 2 or 4 bytes: others do not compile.
    ///
    /// The driver fills rows that are one pitch apart with one call. A box whose planes are apart takes one call for
    /// each plane.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuMemsetD8")]
    #[doc(alias = "cuMemsetD16")]
    #[doc(alias = "cuMemsetD32")]
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD16Async")]
    #[doc(alias = "cuMemsetD32Async")]
    #[doc(alias = "cuMemsetD2D8Async")]
    #[doc(alias = "cuMemsetD2D16Async")]
    #[doc(alias = "cuMemsetD2D32Async")]
    #[doc(alias = "cudaMemset")]
    #[inline]
    pub fn fill<T: Fillable>(&self, to: &mut impl DeviceMemoryMut<'ctx, T>, value: T) -> Result {
        // SAFETY: the memory is borrowed exclusively until this returns.
        unsafe { self.run(Fill::value(to.access(true), value)) }
    }

    /// Sets every byte to zero and waits, for elements of any size.
    ///
    /// # Errors
    /// The errors of [`fill`](Self::fill).
    #[doc(alias = "cuMemsetD8")]
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD2D8Async")]
    #[doc(alias = "cudaMemset")]
    #[doc(alias = "memset_zeros")]
    #[inline]
    pub fn zero<T: Element>(&self, to: &mut impl DeviceMemoryMut<'ctx, T>) -> Result {
        // SAFETY: the memory is borrowed exclusively until this returns.
        unsafe { self.run(Fill::zero(to.access(true))) }
    }

    /// Launches a kernel whose launches are safe: a `GuardedKernel` or a [`TrustedKernel`](crate::TrustedKernel), and waits for it.
    ///
    /// # Errors
    /// [`LaunchRefused`](crate::Error::LaunchRefused) by the check of a [`TrustedKernel`](crate::TrustedKernel); the errors of
    /// [`launch_unchecked`](Self::launch_unchecked).
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchKernelEx")]
    #[doc(alias = "cudaLaunchKernel")]
    #[doc(alias = "launch_builder")]
    #[inline]
    pub fn launch<K: SafeKernel<'ctx>, A: KernelArgs<'ctx> + ArgumentsOf<K::Signature>>(
        &self,
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        let watch = OneLaunch::default();
        kernel.checked_launch(config, args, &watch, |launch| self.run_launch(launch))?;
        watch.end()
    }

    /// Launches a kernel that nobody vouches for yet, and waits for it.
    ///
    /// # Errors
    /// - `CUDA_ERROR_INVALID_VALUE` for extents of 0, unless the [grid is empty](crate::LaunchConfig::is_empty), or over the device's limits
    ///   ([F61](crate::driver_facts#F61)), for more shared memory than a block has on the device
    ///   ([F310](crate::driver_facts#F310)), or for no arguments to a kernel that has parameters
    ///   ([F93](crate::driver_facts#F93)).
    /// - The errors of the launch's attributes.
    /// - [`OtherContext`](crate::Error::OtherContext).
    /// - A sticky error if the kernel faults ([F60](crate::driver_facts#F60)). The process can then no longer
    ///   use the GPU.
    ///
    /// # Safety
    /// 1. The arguments are those of the kernel: as many, in order, each with the parameter's size and meaning.
    ///    For a [`Kernel`](crate::Kernel), number and sizes were compared.
    /// 2. The kernel accesses memory only through its arguments and its module's variables, inside the buffers,
    ///    and writes only `&mut` ones. Two of its threads that race on an address leave unspecified bytes there
    ///    and do nothing worse. Memory that the kernel uses without an argument for it, such as a variable by
    ///    its name, is not used by other work that is in flight simultaneously, in any stream, if one of the
    ///    two writes it: only the program can order such uses.
    /// 3. The launch provides everything that the kernel needs: block shape, shared memory. The kernel does
    ///    everything that the launch's [attributes](crate::launch::ExtendedLaunch) require of it.
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchKernelEx")]
    #[doc(alias = "cudaLaunchKernel")]
    #[doc(alias = "launch_builder")]
    #[inline]
    pub unsafe fn launch_unchecked<
        K: Launchable<'ctx>,
        A: KernelArgs<'ctx> + ArgumentsOf<K::Signature>,
    >(
        &self,
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        // SAFETY: the caller's obligations 1 to 3.
        let launch = unsafe { Launch::new(kernel.inner(), config, args) };
        self.run_launch(launch)
    }

    /// Records an event after the work in the stream.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuEventRecord")]
    #[doc(alias = "cudaEventRecord")]
    #[inline]
    pub fn record(&self, event: &Event<'ctx>) -> Result {
        self.on.enter(RECORD, |stream| stream.record(event))
    }

    /// Makes later work in the stream wait for an event, which may belong to another context
    /// ([F36](crate::driver_facts#F36)).
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamWaitEvent")]
    #[doc(alias = "cudaStreamWaitEvent")]
    #[inline]
    pub fn wait(&self, event: &Event<'_>) -> Result {
        self.on.enter(name!(cuStreamWaitEvent), |stream| stream.wait(event))
    }
}

/// # Operations on a stream of the program
impl<'g, 'ctx> SyncStream<'g, 'ctx> {
    #[inline]
    pub(crate) fn stream(&self) -> &'g Stream<'ctx> {
        self.on.stream
    }

    #[inline]
    pub(crate) fn raw(&self) -> CUstream {
        self.on.stream.raw()
    }

    #[inline]
    pub(crate) fn context(&self) -> &'g Context {
        self.on.stream.context()
    }

    /// Waits for an operation that lends no host memory: [`Blocking::complete`].
    #[inline]
    pub(crate) fn complete(&self, enqueued: Result) -> Result {
        self.on.blocking.complete(enqueued, LentHost::NONE)
    }

    /// Waits for everything in the stream, which may use such host memory.
    #[inline]
    pub(super) fn wait_for(&self, host: LentHost) -> Result {
        self.on.blocking.complete(Ok(()), host)
    }

    /// Copies several memories to as many others with one call and waits. The copies run in no order among each other.
    ///
    /// Each copy is as one of [`copy`](Self::copy): rows and arrays go along with memory without rows. Needs a driver of
    /// CUDA 12.8 or later.
    ///
    /// # Errors
    /// The errors of [`copy`](Self::copy); [`InvalidArgument`](crate::Error::InvalidArgument) for rows that begin at no
    /// multiple of an element apart, to or from an array; [`NeedsDriver`](crate::Error::NeedsDriver). If there is an error,
    /// some of the copies may have been made.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device, ffi};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// # let stream = gpu.stream()?;
    /// # if ffi::cuMemcpyBatchAsync().is_err() { return Ok(()); }
    /// let blocks = gpu.on(&stream).from_slice(&[1_u32, 2, 3, 4])?;
    /// let mut ends = gpu.on(&stream).zeroed::<u32>(4)?;
    /// let (mut first, mut last) = ends.split_at_mut(2)?;
    /// let (a, b) = (blocks.slice(..2)?, blocks.slice(2..)?);
    /// gpu.on(&stream).copy_batch([(&a, &mut last), (&b, &mut first)])?;
    /// assert_eq!(gpu.on(&stream).to_vec(&ends)?, [3, 4, 1, 2]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuMemcpyBatchAsync")]
    #[doc(alias = "cuMemcpy3DBatchAsync")]
    pub fn copy_batch<'b, T, F, D>(
        &self,
        copies: impl IntoIterator<Item = (&'b F, &'b mut D)>,
    ) -> Result
    where
        T: Element,
        F: DeviceMemory<'ctx, T> + 'b,
        D: DeviceMemoryMut<'ctx, T> + 'b,
    {
        let accesses = |(from, to): (&'b F, &'b mut D)| (from.access(false), to.access(true));
        // SAFETY: all of them are borrowed as they are used, until this returns.
        unsafe { self.on.blocking.run(CopyBatch::new(copies.into_iter().map(accesses))?) }
    }

    /// Copies device memory to other device memory with flags and waits.
    ///
    /// To the driver it is a [batch](Self::copy_batch) of one copy. Needs a driver of CUDA 13.2 or later.
    ///
    /// # Errors
    /// The errors of [`copy_batch`](Self::copy_batch).
    #[doc(alias = "cuMemcpyWithAttributesAsync")]
    #[doc(alias = "cuMemcpy3DWithAttributesAsync")]
    pub fn copy_with<T: Element>(
        &self,
        from: &impl DeviceMemory<'ctx, T>,
        to: &mut impl DeviceMemoryMut<'ctx, T>,
        flags: CopyFlags,
    ) -> Result {
        // SAFETY: both are borrowed as they are used, until this returns.
        unsafe { self.on.blocking.run(CopyWith::new(from.access(false), to.access(true), flags)?) }
    }

    /// Sets every element to `value` without waiting: one driver call. See [`fill`](Self::fill).
    ///
    /// # Errors
    /// The errors of [`fill`](Self::fill).
    ///
    /// # Safety
    /// 1. Until the stream has been synchronized, also if this call fails, nothing else uses the memory: no
    ///    other stream and no other operation of this crate. The buffer is not dropped (a leak is fine).
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD16Async")]
    #[doc(alias = "cuMemsetD32Async")]
    #[doc(alias = "cuMemsetD2D8Async")]
    #[doc(alias = "cuMemsetD2D16Async")]
    #[doc(alias = "cuMemsetD2D32Async")]
    #[inline]
    pub unsafe fn fill_unscoped<T: Fillable>(
        &self,
        to: &mut impl DeviceMemoryMut<'ctx, T>,
        value: T,
    ) -> Result {
        // SAFETY: the memory is alive; the rest is the caller's obligation 1.
        unsafe { self.on.blocking.run_unscoped(&Fill::value(to.access(true), value)) }
    }

    /// Moves managed memory to a place and waits, so that its next user there finds it.
    ///
    /// Needs a driver of CUDA 12.2 or later.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for memory that is not [managed](crate::PushedGuard::managed), and for a NUMA node that
    /// does not exist ([F423](crate::driver_facts#F423)); the errors of [`fill`](Self::fill).
    #[doc(alias = "cuMemPrefetchAsync")]
    #[doc(alias = "cudaMemPrefetchAsync")]
    pub fn prefetch<T: Element>(
        &self,
        memory: &impl DeviceMemory<'ctx, T>,
        to: Location,
    ) -> Result {
        // SAFETY: the memory is borrowed until this returns.
        unsafe { self.on.blocking.run(Prefetch::new(memory.access(false), to)?) }
    }

    /// Ends the contents of managed memory and waits: the driver then moves them nowhere. The next read finds unspecified
    /// bytes.
    ///
    /// Needs a driver of CUDA 13.0 or later.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for memory that is not [managed](crate::PushedGuard::managed); the errors of
    /// [`fill`](Self::fill).
    #[doc(alias = "cuMemDiscardBatchAsync")]
    pub fn discard<T: Element>(&self, memory: &mut DeviceBuffer<'ctx, T>) -> Result {
        // SAFETY: the memory is borrowed exclusively until this returns.
        unsafe { self.on.blocking.run(Discard::new(memory.used(true))?) }
    }

    /// Attaches managed memory to streams and waits. The driver takes it as a hint
    /// ([F420](crate::driver_facts#F420)).
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for memory that is not [managed](crate::PushedGuard::managed)
    /// ([F159](crate::driver_facts#F159)); the errors of [`fill`](Self::fill).
    ///
    /// # Safety
    /// 1. From [`Attachment::Single`] to the next call of this method, only this stream uses the memory, and the stream
    ///    is not dropped. The manual of the driver asks for it.
    #[doc(alias = "cuStreamAttachMemAsync")]
    pub unsafe fn attach<T: Element>(
        &self,
        memory: &mut DeviceBuffer<'ctx, T>,
        to: Attachment,
    ) -> Result {
        // SAFETY: the memory is borrowed exclusively until this returns; the rest is the caller's obligation 1.
        unsafe { self.on.blocking.run(Attach::new(memory.used(true), to)) }
    }

    /// Launches a kernel without waiting: one driver call. See [`launch_unchecked`](Self::launch_unchecked).
    ///
    /// A later call reports a fault of the kernel.
    ///
    /// # Errors
    /// The errors of [`launch_unchecked`](Self::launch_unchecked).
    ///
    /// # Safety
    /// 1. to 3. of [`launch_unchecked`](Self::launch_unchecked).
    /// 4. Until the stream has been synchronized, nothing else writes the memory among the arguments, or uses
    ///    the memory that the kernel writes: no other stream, no other operation of this crate, and not the
    ///    host. None of it is dropped (a leak is fine).
    #[doc(alias = "cuLaunchKernel")]
    #[inline]
    pub unsafe fn launch_unscoped<
        K: Launchable<'ctx>,
        A: KernelArgs<'ctx> + ArgumentsOf<K::Signature>,
    >(
        &self,
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        // SAFETY: the caller's obligations 1 to 3.
        let launch = unsafe { Launch::new(kernel.inner(), config, args) };
        // SAFETY: the memory among the arguments is alive; the rest is the caller's obligation 4.
        unsafe { self.on.blocking.run_unscoped(&launch) }
    }
}

impl fmt::Debug for SyncStream<'_, '_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncStream").field("stream", self.on.stream).finish()
    }
}

launches! {
    ['ctx, S: SyncMode] SyncStream<'_, 'ctx, S>, 'ctx, InCall;
}
