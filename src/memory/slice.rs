//! Parts of buffers, for reading.

use super::view::{View, chunks, part, view_methods};
use crate::brand::Brand;
use crate::error::Result;
use crate::memory::{DeviceBuffer, Element};
use std::marker::PhantomData;
use std::ops::RangeBounds;

/// A part of a [`DeviceBuffer`], for reading: [`DeviceBuffer::slice`]. It is a kernel argument, and operations
/// copy from it.
#[doc(alias = "CudaView")]
pub struct DeviceSlice<'b, 'ctx, T: Element> {
    pub(super) view: View<'b>,
    pub(super) _brand: Brand<'ctx>,
    pub(super) data: PhantomData<T>,
}

impl<T: Element> Clone for DeviceSlice<'_, '_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element> Copy for DeviceSlice<'_, '_, T> {}

impl<'b, T: Element> DeviceSlice<'b, '_, T> {
    pub(super) fn of(view: View<'b>) -> Self {
        DeviceSlice { view, _brand: Brand::new(), data: PhantomData }
    }
}

impl<'ctx, T: Element> DeviceBuffer<'ctx, T> {
    /// Returns a part of the buffer, for reading.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) for a range that ends past the
    /// buffer, or before it begins.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'_, 'ctx, T>> {
        let part = part("DeviceBuffer::slice", range, self.len())?;
        Ok(DeviceSlice::of(self.view().part::<T>(part)))
    }

    /// Splits the buffer into consecutive slices of `len` elements, for reading. The last slice has the
    /// remaining elements.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) for a `len` of 0.
    pub fn chunks(
        &self,
        len: usize,
    ) -> Result<impl ExactSizeIterator<Item = DeviceSlice<'_, 'ctx, T>>> {
        let parts = chunks("DeviceBuffer::chunks", self.len(), len)?;
        Ok(parts.map(|part| DeviceSlice::of(self.view().part::<T>(part))))
    }
}

impl<'b, 'ctx, T: Element> DeviceSlice<'b, 'ctx, T> {
    /// Returns a part of the slice.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) for a range that ends past the
    /// slice, or before it begins.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'b, 'ctx, T>> {
        let part = part("DeviceSlice::slice", range, self.len())?;
        Ok(DeviceSlice::of(self.view.part::<T>(part)))
    }

    /// Splits the slice into consecutive slices of `len` elements. The last slice has the remaining elements.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) for a `len` of 0.
    pub fn chunks(
        &self,
        len: usize,
    ) -> Result<impl ExactSizeIterator<Item = DeviceSlice<'b, 'ctx, T>> + use<'b, 'ctx, T>> {
        let view = self.view;
        let parts = chunks("DeviceSlice::chunks", self.len(), len)?;
        Ok(parts.map(move |part| DeviceSlice::of(view.part::<T>(part))))
    }
}

view_methods!(DeviceSlice);
