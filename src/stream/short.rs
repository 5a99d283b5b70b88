//! Allocation and transfer in one method, with the driver calls of both.
#![allow(unsafe_code, reason = "allocates without the wait of its own")]

use super::{SyncMode, SyncStream};
use crate::call::name;
use crate::error::Result;
use crate::memory::{DeviceBuffer, DeviceMemory, Element, zeros};

impl<'ctx> SyncStream<'_, 'ctx> {
    /// Allocates a buffer and copies the elements of a slice to it: [`alloc`](Self::alloc) and
    /// [`upload`](Self::upload), with one wait.
    ///
    /// # Errors
    /// The errors of [`alloc`](Self::alloc) and [`upload`](Self::upload).
    #[doc(alias = "clone_htod")]
    #[doc(alias = "htod_copy")]
    #[doc(alias = "htod_sync_copy")]
    #[doc(alias = "memcpy_stod")]
    pub fn from_slice<T: Element>(&self, from: &[T]) -> Result<DeviceBuffer<'ctx, T>> {
        // SAFETY: the upload is on this stream, and waits.
        let mut buffer = unsafe { self.alloc_unscoped(from.len()) }?;
        self.upload(from, &mut buffer)?;
        Ok(buffer)
    }

    /// Allocates a buffer of zeros: [`alloc`](Self::alloc) and [`zero`](Self::zero), with one wait.
    ///
    /// # Errors
    /// The errors of [`alloc`](Self::alloc) and [`zero`](Self::zero).
    #[doc(alias = "alloc_zeros")]
    pub fn zeroed<T: Element>(&self, len: usize) -> Result<DeviceBuffer<'ctx, T>> {
        // SAFETY: the fill is on this stream, and waits.
        let mut buffer = unsafe { self.alloc_unscoped(len) }?;
        self.zero(&mut buffer)?;
        Ok(buffer)
    }
}

impl<'ctx, S: SyncMode> SyncStream<'_, 'ctx, S> {
    /// Returns the elements of device memory in a new `Vec`: [`download`](Self::download).
    ///
    /// # Errors
    /// The errors of [`download`](Self::download); `CUDA_ERROR_OUT_OF_MEMORY` if the host does not have as much memory.
    #[doc(alias = "clone_dtoh")]
    #[doc(alias = "dtoh_sync_copy")]
    #[doc(alias = "memcpy_dtov")]
    pub fn to_vec<T: Element>(&self, from: &impl DeviceMemory<'ctx, T>) -> Result<Vec<T>> {
        let mut to = zeros::<T>(name!(cuMemcpyDtoHAsync_v2), from.access(false).len)?;
        self.download(from, &mut to)?;
        Ok(to)
    }
}
