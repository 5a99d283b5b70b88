//! Allocation and transfer in one, with the driver calls of both.
#![allow(unsafe_code, reason = "allocates without the wait of its own")]

use super::OnStream;
use crate::error::Result;
use crate::memory::{DeviceBuffer, DeviceMemory, Element};

impl<'ctx> OnStream<'_, 'ctx> {
    /// A new buffer with the elements of a slice: [`alloc`](Self::alloc) and
    /// [`upload`](Self::upload), with one wait.
    ///
    /// # Errors
    /// As these.
    pub fn from_slice<T: Element>(&self, from: &[T]) -> Result<DeviceBuffer<'ctx, T>> {
        // SAFETY: the upload is on this stream, and waits.
        let mut buffer = unsafe { self.alloc_unscoped(from.len()) }?;
        self.upload(from, &mut buffer)?;
        Ok(buffer)
    }

    /// A new buffer of zeros: [`alloc`](Self::alloc) and [`zero`](Self::zero), with one wait.
    ///
    /// # Errors
    /// As these.
    pub fn zeroed<T: Element>(&self, len: usize) -> Result<DeviceBuffer<'ctx, T>> {
        // SAFETY: the fill is on this stream, and waits.
        let mut buffer = unsafe { self.alloc_unscoped(len) }?;
        self.zero(&mut buffer)?;
        Ok(buffer)
    }

    /// The elements of device memory: [`download`](Self::download) into a new `Vec`.
    ///
    /// # Errors
    /// As [`download`](Self::download).
    pub fn to_vec<T: Element>(&self, from: &impl DeviceMemory<'ctx, T>) -> Result<Vec<T>> {
        let mut to = vec![T::zeroed(); from.view().len];
        self.download(from, &mut to)?;
        Ok(to)
    }
}
