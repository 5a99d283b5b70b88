//! Device memory that is allocated and freed in the order of a stream.
#![allow(unsafe_code, reason = "calls the driver")]

use super::SyncStream;
use crate::brand::Brand;
use crate::call::name;
use crate::error::Result;
use crate::memory::{Allocation, DeviceBuffer, Element, MemoryPool, allocate, size_for};
use std::marker::PhantomData;

impl<'ctx> SyncStream<'_, 'ctx> {
    /// Allocates a buffer of `len` elements from the device's current [pool](MemoryPool) and waits for the
    /// allocation.
    ///
    /// Every stream can use the buffer, and the pool may hand out memory whose free comes earlier in this stream. So
    /// this waits for everything that is in the stream. If the stream may be busy, with unscoped work or with that of
    /// other threads, allocate on a stream of its own, on which nothing else is enqueued. In a scope,
    /// [`scratch`](crate::ScopedStream::scratch) does not wait.
    ///
    /// Its contents are unspecified bytes. Dropping the buffer frees it in the order of this stream. Unlike the
    /// free of [`PushedGuard::alloc`](crate::PushedGuard::alloc), this does not wait for the work of the
    /// context ([F50](crate::driver_facts#F50), [F51](crate::driver_facts#F51),
    /// [F90](crate::driver_facts#F90)).
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a buffer of 0 bytes or of more than an address space holds;
    /// `CUDA_ERROR_OUT_OF_MEMORY`; `CUDA_ERROR_NOT_SUPPORTED` where the device has no pools; a sticky
    /// error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuMemAllocAsync")]
    pub fn alloc<T: Element>(&self, len: usize) -> Result<DeviceBuffer<'ctx, T>> {
        // SAFETY: the wait below is before anything else can use the buffer.
        let buffer = unsafe { self.alloc_unscoped(len) }?;
        self.stream().synchronize()?;
        Ok(buffer)
    }

    /// Allocates a buffer from the given pool of the device and waits for the allocation. See
    /// [`alloc`](Self::alloc).
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
        // SAFETY: the wait below is before anything else can use the buffer.
        let buffer = unsafe { self.alloc_from_unscoped(pool, len) }?;
        self.stream().synchronize()?;
        Ok(buffer)
    }

    /// Allocates a buffer without waiting: one driver call. See [`alloc`](Self::alloc).
    ///
    /// # Errors
    /// The errors of [`alloc`](Self::alloc).
    ///
    /// # Safety
    /// 1. Until the stream has been synchronized, only work that is enqueued in this stream uses the buffer.
    #[doc(alias = "cuMemAllocAsync")]
    pub unsafe fn alloc_unscoped<T: Element>(&self, len: usize) -> Result<DeviceBuffer<'ctx, T>> {
        let bytes = size_for::<T>(name!(cuMemAllocAsync), len)?;
        // SAFETY: 1. The stream is alive.
        let address = unsafe { allocate(bytes, None, self.raw()) }?;
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
    pub unsafe fn alloc_from_unscoped<T: Element>(
        &self,
        pool: &MemoryPool,
        len: usize,
    ) -> Result<DeviceBuffer<'ctx, T>> {
        let bytes = size_for::<T>(name!(cuMemAllocFromPoolAsync), len)?;
        pool.check_device(self.stream().context().device())?;
        // SAFETY: 1. Pool and stream are alive, and of one device.
        let address = unsafe { allocate(bytes, Some(pool), self.raw()) }?;
        Ok(self.own(address, Some(pool.clone()), len))
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
