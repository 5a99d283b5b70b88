//! Device memory that is allocated and freed in the order of a stream.
#![allow(unsafe_code, reason = "calls the driver")]

use super::SyncStream;
use crate::brand::Brand;
use crate::call::{later, name};
use crate::driver::capture_mode::relaxed;
use crate::error::Result;
use crate::memory::{
    Allocation, DeviceBuffer, Element, MemoryPool, PinnedBuffer, allocate, size_for,
};
use std::marker::PhantomData;

impl<'ctx> SyncStream<'_, 'ctx> {
    /// Allocates a buffer of `len` elements from the device's current [pool](MemoryPool). Every stream can use it at
    /// once.
    ///
    /// This does not wait for the work in the stream. If the stream is busy, with unscoped work or with that of other
    /// threads, this makes the allocation on a new stream, and only if that fails waits until the stream is idle.
    /// The new stream takes some ten microseconds.
    ///
    /// Its contents are unspecified bytes. Dropping the buffer frees it in the order of this stream. Unlike the
    /// free of [`PushedGuard::alloc`](crate::PushedGuard::alloc), this does not wait for the work of the
    /// context ([F50](crate::driver_facts#F50), [F51](crate::driver_facts#F51),
    /// [F90](crate::driver_facts#F90)).
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a buffer of more than an address space holds;
    /// `CUDA_ERROR_OUT_OF_MEMORY`; `CUDA_ERROR_NOT_SUPPORTED` where the device has no pools; a sticky
    /// error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuMemAllocAsync")]
    #[doc(alias = "cudaMallocAsync")]
    pub fn alloc<T: Element>(&self, len: usize) -> Result<DeviceBuffer<'ctx, T>> {
        // SAFETY: `settle` is before anything else can use the buffer.
        let mut buffer = unsafe { self.alloc_unscoped(len) }?;
        buffer.inner = self.settle(buffer.inner, len * size_of::<T>(), None)?;
        Ok(buffer)
    }

    /// Allocates a buffer from the given pool of the device. See [`alloc`](Self::alloc).
    ///
    /// The buffer keeps the pool alive.
    ///
    /// # Errors
    /// The errors of [`alloc`](Self::alloc); [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a pool of another device.
    #[doc(alias = "cuMemAllocFromPoolAsync")]
    pub fn alloc_from<T: Element>(
        &self,
        pool: &MemoryPool,
        len: usize,
    ) -> Result<DeviceBuffer<'ctx, T>> {
        // SAFETY: `settle` is before anything else can use the buffer.
        let mut buffer = unsafe { self.alloc_from_unscoped(pool, len) }?;
        buffer.inner = self.settle(buffer.inner, len * size_of::<T>(), Some(pool))?;
        Ok(buffer)
    }

    /// Allocates a buffer of page-locked host memory from a [pool](MemoryPool) of the host, and fills it with zeros.
    ///
    /// The host waits for the allocation, and for nothing else: if the stream is busy, this allocates on a new stream, as
    /// [`alloc`](Self::alloc) says. Dropping the buffer gives the memory back in the order of this stream, without waiting.
    /// [`PushedGuard::pinned`](crate::PushedGuard::pinned) registers memory instead, which takes longer and waits for the
    /// work of the context in the end.
    ///
    /// The buffer keeps the pool alive.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a pool of a device, for a buffer of more than an address
    /// space holds, and for elements that are more aligned than the driver's memory; `CUDA_ERROR_OUT_OF_MEMORY`; a sticky error ([F60](crate::driver_facts#F60)).
    ///
    /// # Examples
    /// ```
    /// use cuscope::memory::Location;
    /// use cuscope::{Context, ContextStack, Device, MemoryPool};
    ///
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// let gpu = stack.push(&context)?;
    /// let (stream, pool) = (gpu.stream()?, MemoryPool::create(Location::Host)?);
    /// let mut frame = gpu.on(&stream).alloc_pinned_from::<f32>(&pool, 1920 * 1080)?;
    /// frame.fill(0.5);
    /// let on_device = gpu.on(&stream).from_slice(&frame)?;
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuMemAllocFromPoolAsync")]
    pub fn alloc_pinned_from<T: Element>(
        &self,
        pool: &MemoryPool,
        len: usize,
    ) -> Result<PinnedBuffer<T>> {
        let bytes = size_for::<T>(name!(cuMemAllocFromPoolAsync), len)?;
        pool.check_host()?;
        let memory = if bytes == 0 {
            Allocation::nowhere(self.stream().context().clone())
        } else {
            // SAFETY: 1. Pool and stream are alive, and the pool is of the host.
            let address = unsafe {
                allocate(bytes, Some(pool), self.raw(), || self.stream().context().device())
            }?;
            let stream = self.stream().inner.clone();
            let memory = Allocation::in_order(address, stream, Some(pool.clone()));
            self.settle(memory, bytes, Some(pool))?
        };
        // SAFETY: 1. The allocation has this size, and `settle` has waited for it.
        unsafe { PinnedBuffer::of_pool(memory, len) }
    }

    /// Allocates a buffer without waiting: one driver call. See [`alloc`](Self::alloc).
    ///
    /// # Errors
    /// The errors of [`alloc`](Self::alloc).
    ///
    /// # Safety
    /// 1. Until the stream has been synchronized, only work that is enqueued in this stream uses the buffer.
    #[doc(alias = "cuMemAllocAsync")]
    #[inline]
    pub unsafe fn alloc_unscoped<T: Element>(&self, len: usize) -> Result<DeviceBuffer<'ctx, T>> {
        let bytes = size_for::<T>(name!(cuMemAllocAsync), len)?;
        if bytes == 0 {
            return Ok(DeviceBuffer::empty(self.context(), len));
        }
        // SAFETY: 1. The stream is alive.
        let address =
            unsafe { allocate(bytes, None, self.raw(), || self.stream().context().device()) }?;
        Ok(self.own(address, None, len))
    }

    /// Allocates a buffer from the given pool without waiting: one driver call. See
    /// [`alloc_from`](Self::alloc_from).
    ///
    /// # Errors
    /// The errors of [`alloc_from`](Self::alloc_from).
    ///
    /// # Safety
    /// 1. Until the stream has been synchronized, only work that is enqueued in this stream uses the buffer.
    #[doc(alias = "cuMemAllocFromPoolAsync")]
    #[inline]
    pub unsafe fn alloc_from_unscoped<T: Element>(
        &self,
        pool: &MemoryPool,
        len: usize,
    ) -> Result<DeviceBuffer<'ctx, T>> {
        let bytes = size_for::<T>(name!(cuMemAllocFromPoolAsync), len)?;
        pool.check_device(self.stream().context().device())?;
        if bytes == 0 {
            return Ok(DeviceBuffer::empty(self.context(), len));
        }
        // SAFETY: 1. Pool and stream are alive, and of one device.
        let address = unsafe {
            allocate(bytes, Some(pool), self.raw(), || self.stream().context().device())
        }?;
        Ok(self.own(address, Some(pool.clone()), len))
    }

    /// Makes memory that was just allocated on this stream usable on every stream.
    ///
    /// The pool may have taken it from a free that is still behind other work of the stream. Where there is such work,
    /// this returns memory that was allocated on another stream instead.
    #[inline]
    fn settle(
        &self,
        memory: Allocation,
        bytes: usize,
        pool: Option<&MemoryPool>,
    ) -> Result<Allocation> {
        if bytes == 0 {
            return Ok(memory);
        }
        // SAFETY: the stream is alive; needs no current context (F37).
        let idle = relaxed(unsafe { later!(cuStreamQuery(self.raw())) }).ready()?;
        if idle {
            return Ok(memory);
        }
        // There may be no other stream, or not the memory for a moment.
        self.allocate_apart(bytes, pool).or_else(|_| self.stream().synchronize().map(|()| memory))
    }

    /// Allocates on a stream that ends here, and waits for that. The memory is freed in the order of this stream.
    #[cold]
    #[inline]
    fn allocate_apart(&self, bytes: usize, pool: Option<&MemoryPool>) -> Result<Allocation> {
        let apart = self.stream().another()?;
        // SAFETY: 1. The stream is alive, and so is the pool, which is of its device.
        let address =
            unsafe { allocate(bytes, pool, apart.raw(), || self.stream().context().device()) }?;
        let mut memory = Allocation::in_order(address, apart.inner.clone(), pool.cloned());
        apart.synchronize()?;
        memory.free_on(self.stream().inner.clone());
        Ok(memory)
    }

    #[inline]
    fn own<T: Element>(
        &self,
        address: ffi::CUdeviceptr,
        pool: Option<MemoryPool>,
        len: usize,
    ) -> DeviceBuffer<'ctx, T> {
        let inner = Allocation::in_order(address, self.stream().inner.clone(), pool);
        DeviceBuffer { inner, len, _brand: Brand::new(), data: PhantomData }
    }
}
