//! The operations of an ordered stream.
#![allow(unsafe_code, reason = "enqueues work on memory that belongs to the stream")]

use super::{Ordered, OrderedBuffer, OrderedPitchedBuffer, OrderedSource, OrderedStream};
use crate::args::KernelArgs;
use crate::args::sealed::Operands;
use crate::brand::Brand;
use crate::call::{name, same_context};
use crate::context::current_context;
use crate::driver::fork;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::kernel::{ArgumentsOf, Launchable, SafeKernel, launches};
use crate::launch::LaunchSpec;
use crate::memory::access::Access;
use crate::memory::grid::Grid;
use crate::memory::{
    Allocation, CopyFlags, DeviceBuffer, DeviceMemoryMut, Element, Extent, Fillable, InOrder,
    Location, PitchedBuffer, size_for, zeros,
};
use crate::ops::enqueue::same_len;
use crate::ops::{Copy, CopyBatch, CopyWith, Download, Fill, Launch, Operation, Prefetch, Upload};
use crate::stream::blocking::Blocking;
use crate::stream::host_function;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// # Allocations
impl OrderedStream {
    /// Allocates a buffer of `len` elements. Its contents are unspecified bytes. An empty buffer has no memory, and the
    /// address 0.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for a buffer of more than an address space holds;
    /// `CUDA_ERROR_OUT_OF_MEMORY` ([F172](crate::driver_facts#F172)); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuMemAllocAsync")]
    #[doc(alias = "cuMemAllocFromPoolAsync")]
    #[doc(alias = "cudaMallocAsync")]
    #[inline]
    pub fn alloc<T: Element>(&self, len: usize) -> Result<OrderedBuffer<T>> {
        let bytes = size_for::<T>(name!(cuMemAllocAsync), len)?;
        let inner = if bytes == 0 { self.empty() } else { self.allocate(bytes)? };
        Ok(Ordered(DeviceBuffer { inner, len, _brand: Brand::new(), data: PhantomData }))
    }

    /// Allocates a buffer of rows and planes. Its contents are unspecified bytes. Rows begin at multiples of 512 bytes.
    ///
    /// # Errors
    /// The errors of [`alloc`](Self::alloc).
    #[doc(alias = "cuMemAllocAsync")]
    #[doc(alias = "cuMemAllocPitch")]
    pub fn alloc_pitched<T: Element>(
        &self,
        extent: impl Into<Extent>,
    ) -> Result<OrderedPitchedBuffer<T>> {
        let (grid, bytes) = Grid::aligned::<T>(name!(cuMemAllocAsync), extent.into())?;
        let inner = if bytes == 0 { self.empty() } else { self.allocate(bytes)? };
        Ok(Ordered(PitchedBuffer { inner, grid, _brand: Brand::new(), data: PhantomData }))
    }

    #[inline]
    fn allocate(&self, bytes: usize) -> Result<Allocation> {
        let (address, size) = self.home.alloc(bytes)?;
        Ok(Allocation::ordered(address, self.home.clone(), size))
    }

    /// Returns memory of 0 bytes, which belongs to the stream as other memory does.
    #[cold]
    #[inline]
    fn empty(&self) -> Allocation {
        Allocation::ordered(0, self.home.clone(), 0)
    }

    /// Allocates a buffer of zeros.
    ///
    /// # Errors
    /// The errors of [`alloc`](Self::alloc) and [`zero`](Self::zero).
    #[doc(alias = "alloc_zeros")]
    pub fn zeroed<T: Element>(&self, len: usize) -> Result<OrderedBuffer<T>> {
        let mut buffer = self.alloc(len)?;
        self.zero(&mut buffer)?;
        Ok(buffer)
    }

    /// Allocates a buffer and copies the elements of a slice to it.
    ///
    /// # Errors
    /// The errors of [`alloc`](Self::alloc) and [`upload`](Self::upload).
    #[doc(alias = "clone_htod")]
    #[doc(alias = "htod_copy")]
    #[doc(alias = "memcpy_stod")]
    pub fn from_slice<T: Element>(&self, from: &[T]) -> Result<OrderedBuffer<T>> {
        let mut buffer = self.alloc(from.len())?;
        self.upload(from, &mut buffer)?;
        Ok(buffer)
    }

    /// Allocates a buffer and copies device memory to it. Memory with rows is packed.
    ///
    /// # Errors
    /// The errors of [`alloc`](Self::alloc) and [`copy`](Self::copy).
    pub fn duplicate<T: Element>(&self, from: &impl OrderedSource<T>) -> Result<OrderedBuffer<T>> {
        let mut buffer = self.alloc(from.read().len)?;
        self.copy(from, &mut buffer)?;
        Ok(buffer)
    }

    /// Returns the elements of device memory in a new `Vec`. Waits. [`to_vec_later`](Self::to_vec_later) does not.
    ///
    /// # Errors
    /// The errors of [`download`](Self::download); `CUDA_ERROR_OUT_OF_MEMORY` if the host does not have as much memory.
    #[doc(alias = "clone_dtoh")]
    #[doc(alias = "memcpy_dtov")]
    pub fn to_vec<T: Element>(&self, from: &impl OrderedSource<T>) -> Result<Vec<T>> {
        let mut to = zeros::<T>(name!(cuMemcpyDtoHAsync_v2), from.read().len)?;
        self.download(from, &mut to)?;
        Ok(to)
    }
}

/// # Operations
impl OrderedStream {
    /// Enqueues an operation.
    ///
    /// # Safety
    /// 1. All memory of the operation is alive, and borrowed as the operation uses it. Device memory belongs to a
    ///    stream or is shared by some; host memory stays as it is until this stream is past the operation.
    #[inline]
    pub(super) unsafe fn run(&self, operation: &impl Operation) -> Result {
        self.check(operation)?;
        // SAFETY: 1. As above. 2. The caller's obligation 1.
        unsafe { self.enqueue(operation) }
    }

    /// Checks that an operation is one of this stream.
    #[inline]
    pub(super) fn check(&self, operation: &impl Operation) -> Result {
        let call = operation.call();
        operation.check(call)?;
        self.admit_all(call, &*operation.uses())?;
        same_context(call, operation.others_are_of(self.context().key()))
    }

    /// Enqueues an operation.
    ///
    /// # Safety
    /// 1. [`check`](Self::check) accepted the operation.
    /// 2. 1. of [`run`](Self::run).
    #[inline]
    pub(super) unsafe fn enqueue(&self, operation: &impl Operation) -> Result {
        let own = || self.context().key();
        // SAFETY: 1. The caller's obligation 1. 2. The stream is alive, as this has it. `admit_all` let all memory pass. Memory of
        // this stream is of its context, and earlier and later uses are in this stream. Shared memory is of its context
        // too: only readers of that are found by their key, and a new one compares it first. Nobody writes it, and it is
        // freed behind its readers (`ordered-apart`, `shared-behind`). Only a copy from a peer reads memory of another
        // context, and orders that itself. The rest is the caller's obligation 2.
        unsafe { operation.run(self.home.raw(), own) }
    }

    /// Enqueues a copy. The driver refuses copies of memory of a pool while a context of another device is current
    /// ([F348](crate::driver_facts#F348)): then this pushes the stream's own context.
    ///
    /// # Safety
    /// 1. of [`run`](Self::run).
    #[inline]
    pub(super) unsafe fn run_copy(&self, copy: &impl Operation) -> Result {
        self.check(copy)?;
        // SAFETY: 1. As above. 2. The caller's obligation 1.
        let enqueued = unsafe { self.enqueue(copy) };
        match enqueued {
            Ok(()) => Ok(()),
            // SAFETY: as above. It enqueued nothing if this is called.
            Err(error) => self.again_in_own_context(error, &|| unsafe { self.enqueue(copy) }),
        }
    }

    /// Tries a copy that was refused once more with the stream's context current, if it was not.
    ///
    /// # Errors
    /// The error of the first attempt; that of the second; a driver error.
    #[cold]
    #[inline(never)]
    fn again_in_own_context(&self, error: Error, again: &dyn Fn() -> Result) -> Result {
        // Only of this code is it known that nothing was enqueued.
        if error.code() != Some(ffi::CUDA_ERROR_INVALID_VALUE)
            || current_context()?.is_none_or(|current| current.is(self.context()))
        {
            return Err(error);
        }
        self.context().with(|_| again())
    }

    /// Lets an operation use memory that belongs to this stream, or is shared and of its context, and refuses other
    /// memory.
    #[inline]
    pub(super) fn admit_all(&self, call: &'static str, uses: &impl Operands) -> Result {
        if uses.all_of(self.home.key()) { Ok(()) } else { self.admit(call, uses) }
    }

    #[cold]
    #[inline]
    fn admit(&self, call: &'static str, uses: &impl Operands) -> Result {
        uses.with_accesses(|all| all.iter().try_for_each(|access| access.admit(call, &self.home)))
    }

    /// Runs a kernel whose launches are safe: a `GuardedKernel` or a [`TrustedKernel`](crate::TrustedKernel).
    ///
    /// Memory among the arguments is `&memory` to read and `&mut memory` to write, of this stream, or
    /// [`&shared`](crate::SharedBuffer).
    ///
    /// # Errors
    /// [`LaunchRefused`](crate::Error::LaunchRefused) by the check of a [`TrustedKernel`](crate::TrustedKernel); the errors of
    /// [`launch_unchecked`](Self::launch_unchecked).
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchKernelEx")]
    #[doc(alias = "cudaLaunchKernel")]
    #[doc(alias = "launch_builder")]
    #[inline]
    pub fn launch<
        'ctx,
        K: SafeKernel<'ctx>,
        A: KernelArgs<'static, InOrder> + ArgumentsOf<K::Signature>,
    >(
        &self,
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        kernel.checked_launch(config, args, self.home.watch(), |launch| {
            // SAFETY: 1. The arguments are borrowed as they are used, and no host memory is among them (`InOrder`).
            unsafe { self.run(&launch) }
        })
    }

    /// Runs a kernel that nobody vouches for yet.
    ///
    /// A later call reports its faults. Memory among the arguments is `&memory` to read and `&mut memory` to write, of
    /// this stream, or [`&shared`](crate::SharedBuffer).
    ///
    /// # Errors
    /// [`OtherStream`](Error::OtherStream) for memory of another stream; the errors of
    /// [`SyncStream::launch_unchecked`](crate::SyncStream::launch_unchecked).
    ///
    /// # Safety
    /// 1. to 3. of [`SyncStream::launch_unchecked`](crate::SyncStream::launch_unchecked). Work of other streams is in
    ///    flight at the same time.
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchKernelEx")]
    #[doc(alias = "cudaLaunchKernel")]
    #[doc(alias = "launch_builder")]
    #[inline]
    pub unsafe fn launch_unchecked<
        'ctx,
        K: Launchable<'ctx>,
        A: KernelArgs<'static, InOrder> + ArgumentsOf<K::Signature>,
    >(
        &self,
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        // SAFETY: the caller's obligations 1 to 3.
        let launch = unsafe { Launch::new(kernel.inner(), config, args) };
        // SAFETY: 1. The arguments are borrowed as they are used, and no host memory is among them (`InOrder`).
        unsafe { self.run(&launch) }
    }

    /// Copies device memory to memory of this stream.
    ///
    /// Two memories with rows must have the same extent. Memory without rows holds them packed.
    ///
    /// # Errors
    /// [`LengthMismatch`](Error::LengthMismatch); [`ExtentMismatch`](Error::ExtentMismatch);
    /// [`OtherStream`](Error::OtherStream); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuMemcpyDtoDAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    #[doc(alias = "cudaMemcpyAsync")]
    #[doc(alias = "memcpy_dtod")]
    #[inline]
    pub fn copy<T: Element, M: DeviceMemoryMut<'static, T>>(
        &self,
        from: &impl OrderedSource<T>,
        to: &mut Ordered<M>,
    ) -> Result {
        // SAFETY: 1. Both are borrowed as they are used.
        unsafe { self.run_copy(&Copy::new(from.read(), to.used(true))) }
    }

    /// Copies several memories to as many others of this stream with one call. See
    /// [`SyncStream::copy_batch`](crate::SyncStream::copy_batch).
    ///
    /// # Errors
    /// The errors of [`SyncStream::copy_batch`](crate::SyncStream::copy_batch); [`OtherStream`](Error::OtherStream).
    #[doc(alias = "cuMemcpyBatchAsync")]
    #[doc(alias = "cuMemcpy3DBatchAsync")]
    pub fn copy_batch<'b, T, F, M>(
        &self,
        copies: impl IntoIterator<Item = (&'b F, &'b mut Ordered<M>)>,
    ) -> Result
    where
        T: Element,
        F: OrderedSource<T> + 'b,
        M: DeviceMemoryMut<'static, T> + 'b,
    {
        let accesses = |(from, to): (&'b F, &'b mut Ordered<M>)| (from.read(), to.used(true));
        // SAFETY: 1. All of them are borrowed as they are used.
        unsafe { self.run_copy(&CopyBatch::new(copies.into_iter().map(accesses))?) }
    }

    /// Copies device memory to memory of this stream with flags. See
    /// [`SyncStream::copy_with`](crate::SyncStream::copy_with).
    ///
    /// # Errors
    /// The errors of [`SyncStream::copy_with`](crate::SyncStream::copy_with); [`OtherStream`](Error::OtherStream).
    #[doc(alias = "cuMemcpyWithAttributesAsync")]
    #[doc(alias = "cuMemcpy3DWithAttributesAsync")]
    pub fn copy_with<T: Element, M: DeviceMemoryMut<'static, T>>(
        &self,
        from: &impl OrderedSource<T>,
        to: &mut Ordered<M>,
        flags: CopyFlags,
    ) -> Result {
        // SAFETY: 1. Both are borrowed as they are used.
        unsafe { self.run_copy(&CopyWith::new(from.read(), to.used(true), flags)?) }
    }

    /// Sets every element to `value`. Elements have 1, 2 or 4 bytes: others do not compile.
    ///
    /// # Errors
    /// [`OtherStream`](Error::OtherStream); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD16Async")]
    #[doc(alias = "cuMemsetD32Async")]
    #[doc(alias = "cuMemsetD2D8Async")]
    #[doc(alias = "cuMemsetD2D16Async")]
    #[doc(alias = "cuMemsetD2D32Async")]
    #[doc(alias = "cudaMemsetAsync")]
    #[inline]
    pub fn fill<T: Fillable, M: DeviceMemoryMut<'static, T>>(
        &self,
        to: &mut Ordered<M>,
        value: T,
    ) -> Result {
        // SAFETY: 1. The memory is borrowed exclusively.
        unsafe { self.run(&Fill::value(to.used(true), value)) }
    }

    /// Sets every byte to zero, for elements of any size.
    ///
    /// # Errors
    /// The errors of [`fill`](Self::fill).
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD2D8Async")]
    #[inline]
    pub fn zero<T: Element, M: DeviceMemoryMut<'static, T>>(&self, to: &mut Ordered<M>) -> Result {
        // SAFETY: 1. The memory is borrowed exclusively.
        unsafe { self.run(&Fill::zero(to.used(true))) }
    }

    /// Moves managed memory to a place. See [`SyncStream::prefetch`](crate::SyncStream::prefetch).
    ///
    /// # Errors
    /// The errors of [`SyncStream::prefetch`](crate::SyncStream::prefetch); [`OtherStream`](Error::OtherStream).
    #[doc(alias = "cuMemPrefetchAsync")]
    pub fn prefetch<T: Element>(&self, memory: &impl OrderedSource<T>, to: Location) -> Result {
        // SAFETY: 1. The memory is borrowed as it is used.
        unsafe { self.run(&Prefetch::new(memory.read(), to)?) }
    }

    /// Copies a slice to the device. The slice can be changed when this returns.
    ///
    /// The slice is copied to a ring of page-locked [staging memory](super::OrderedOptions::staging), and from there by
    /// the device. This waits for the device only if it is behind by the whole ring. It waits for the copy if there is
    /// no ring, if another thread uses it, and for rows that are larger than a quarter of it.
    ///
    /// # Errors
    /// [`LengthMismatch`](Error::LengthMismatch); [`OtherStream`](Error::OtherStream); a sticky error
    /// ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuMemcpyHtoDAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    #[doc(alias = "cudaMemcpyAsync")]
    #[doc(alias = "memcpy_htod")]
    pub fn upload<T: Element, M: DeviceMemoryMut<'static, T>>(
        &self,
        from: &[T],
        to: &mut Ordered<M>,
    ) -> Result {
        let to = to.used(true);
        let upload = Upload::new(from, to);
        same_len(upload.call(), from.len(), to.len)?;
        // Not locked during driver calls: the hook of the driver's log may upload too.
        let taken = fork::lock(&self.staging).and_then(|mut staging| staging.take());
        let Some(mut staging) = taken else { return self.upload_and_wait(from, to) };
        let uploaded = self.upload_staged(&mut staging, from, to);
        if let Some(mut place) = fork::lock(&self.staging) {
            *place = Some(staging);
        }
        uploaded.unwrap_or_else(|| self.upload_and_wait(from, to))
    }

    /// Copies a slice through the ring, or returns `None` if that has no room.
    fn upload_staged<T: Element>(
        &self,
        staging: &mut super::Staging,
        from: &[T],
        to: Access<'_>,
    ) -> Option<Result> {
        let room = staging.segment().checked_div(size_of::<T>()).unwrap_or(0);
        if room == 0 || from.is_empty() || to.grid.is_some() && from.len() > room {
            return None;
        }
        let mut copy = |(index, piece): (usize, &[T])| {
            let staged = staging.stage(bytemuck::cast_slice(piece))?;
            let to = if to.grid.is_some() { to } else { to.part(index * room, piece.len()) };
            let upload = Upload::from_bytes(staged, piece.len(), to);
            // SAFETY: 1. The memory is borrowed exclusively. The ring is not written until the copy is over.
            unsafe { self.run_copy(&upload) }
        };
        Some(from.chunks(room).enumerate().try_for_each(&mut copy))
    }

    fn upload_and_wait<T: Element>(&self, from: &[T], to: Access<'_>) -> Result {
        // SAFETY: 1. The memory is borrowed exclusively, and the slice until this has waited.
        unsafe { self.run_and_wait(Upload::new(from, to)) }
    }

    /// Copies device memory to a slice, and waits.
    ///
    /// # Errors
    /// The errors of [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoHAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    #[doc(alias = "cudaMemcpyAsync")]
    #[doc(alias = "memcpy_dtoh")]
    pub fn download<T: Element>(&self, from: &impl OrderedSource<T>, to: &mut [T]) -> Result {
        // SAFETY: 1. Both are borrowed as they are used, until this has waited.
        unsafe { self.run_and_wait(Download::new(from.read(), to)) }
    }

    /// Enqueues an operation and waits for it.
    ///
    /// # Safety
    /// 1. of [`run`](Self::run), where the host memory is borrowed until this returns.
    unsafe fn run_and_wait(&self, operation: impl Operation) -> Result {
        // SAFETY: the caller's obligation 1, as the wait below is over then.
        let enqueued = unsafe { self.run_copy(&operation) };
        if operation.is_empty() {
            return enqueued;
        }
        self.blocking().complete(enqueued, operation.host())?;
        self.home.watch().look()
    }

    /// Returns the stream for an operation that waits.
    #[inline]
    pub(super) fn blocking(&self) -> Blocking<'_> {
        // SAFETY: 1. The stream is alive, and no default stream.
        unsafe { Blocking::new(self.home.raw(), self.context().key()) }
    }

    /// Records an event after the work in the stream.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuEventRecord")]
    #[inline]
    pub fn record(&self, event: &Event<'_>) -> Result {
        self.blocking().record(event)
    }

    /// Makes later work in the stream wait for an event, which may belong to another context
    /// ([F36](crate::driver_facts#F36)).
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamWaitEvent")]
    #[inline]
    pub fn wait(&self, event: &Event<'_>) -> Result {
        self.blocking().wait(event)
    }

    /// Makes the stream call a function on the host, behind the work that is in it now.
    ///
    /// Later work in the stream waits for the function. It runs on a thread of the driver, where driver calls are
    /// refused ([F23](crate::driver_facts#F23)). If it panics, the next [`synchronize`](Self::synchronize) continues
    /// the first such panic. Do not drop there what waits for this stream: a graph that it runs, a pending value, the
    /// stream itself.
    ///
    /// If a kernel before it faults, the driver does not call the function, and what it owns is not dropped. A thread that
    /// waits for the function then waits for ever. Let it wait for an [event](Self::record) too, with a
    /// [limit](crate::Event::synchronize_timeout): a wait returns the fault.
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuLaunchHostFunc")]
    #[doc(alias = "cudaLaunchHostFunc")]
    pub fn host_function(&self, function: impl FnOnce() + Send + 'static) -> Result {
        let first = self.panic.clone();
        let contained = move || {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(function)) {
                first.keep(panic);
            }
        };
        // SAFETY: 1. The stream is alive.
        unsafe { host_function::enqueue(self.home.raw(), contained) }.map(drop)
    }
}

/// # Memory that moves between streams
impl OrderedStream {
    /// Takes a buffer over, which then belongs to this stream. Makes no driver call.
    ///
    /// A buffer that [`PushedGuard::alloc`](crate::PushedGuard::alloc) allocated is still freed by `cuMemFree`, which
    /// waits for all work of the context ([F50](crate::driver_facts#F50)).
    ///
    /// # Errors
    /// [`NotTaken`](super::NotTaken), which contains the buffer: [`OtherContext`](Error::OtherContext), or
    /// [`InvalidArgument`](Error::InvalidArgument) for a variable of a module.
    pub fn adopt<'ctx, T: Element>(
        &self,
        buffer: DeviceBuffer<'ctx, T>,
    ) -> Result<OrderedBuffer<T>, super::NotTaken<DeviceBuffer<'ctx, T>>> {
        const CALL: &str = "OrderedStream::adopt";
        let mut buffer = buffer;
        let error = if buffer.context() != self.context() {
            Error::OtherContext { call: CALL }
        } else if buffer.inner.adopt(&self.home) {
            return Ok(Ordered(buffer.with_brand()));
        } else {
            let reason = "the buffer is a variable of a module, which its module would lend again while work uses \
                          it: copy it to a buffer of the stream";
            Error::InvalidArgument { call: CALL, reason: reason.into() }
        };
        Err(super::NotTaken { error, value: Some(buffer) })
    }

    /// Moves a buffer to this stream, whose later work comes behind all work that is in the buffer's stream now.
    ///
    /// # Errors
    /// [`NotTaken`](super::NotTaken), which contains the buffer: [`OtherContext`](Error::OtherContext); a driver error.
    #[doc(alias = "cuEventRecord")]
    #[doc(alias = "cuStreamWaitEvent")]
    #[inline]
    pub fn hand_over<B: HandOver>(&self, mut buffer: B) -> Result<B, super::NotTaken<B>> {
        let memory = buffer.allocation();
        let moved = if memory.key() != self.context().key() {
            Err(Error::OtherContext { call: name!(cuStreamWaitEvent) })
        } else {
            memory.home().map_or(Ok(()), |home| self.home.follow(home))
        };
        match moved {
            Ok(()) => {
                memory.hand_over(&self.home);
                Ok(buffer)
            }
            Err(error) => Err(super::NotTaken { error, value: Some(buffer) }),
        }
    }
}

/// A buffer that can move from stream to stream. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a buffer that belongs to an ordered stream",
    label = "expected an `OrderedBuffer` or an `OrderedPitchedBuffer`",
    note = "`ordered.adopt(buffer)` takes a `DeviceBuffer` over; a part stays with its buffer"
)]
pub trait HandOver: sealed::Allocated {}
#[diagnostic::do_not_recommend]
impl<T: Element> HandOver for OrderedBuffer<T> {}
#[diagnostic::do_not_recommend]
impl<T: Element> HandOver for OrderedPitchedBuffer<T> {}

pub(crate) mod sealed {
    use super::*;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `HandOver`, which is sealed",
        label = "only buffers that belong to a stream do"
    )]
    pub trait Allocated {
        fn allocation(&mut self) -> &mut Allocation;
    }
    #[diagnostic::do_not_recommend]
    impl<T: Element> Allocated for OrderedBuffer<T> {
        fn allocation(&mut self) -> &mut Allocation {
            &mut self.0.inner
        }
    }
    #[diagnostic::do_not_recommend]
    impl<T: Element> Allocated for OrderedPitchedBuffer<T> {
        fn allocation(&mut self) -> &mut Allocation {
            &mut self.0.inner
        }
    }
}

launches! {
    [] OrderedStream, 'static, InOrder;
}
