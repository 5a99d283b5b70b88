//! Parts of buffers, for writing.

use super::view::{View, chunks, part, view_methods};
use crate::brand::Brand;
use crate::error::Result;
use crate::memory::{DeviceBuffer, DeviceSlice, Element};
use std::marker::PhantomData;
use std::ops::RangeBounds;

/// A part of a [`DeviceBuffer`], for reading and writing: [`DeviceBuffer::slice_mut`].
///
/// Use it like a buffer: `&mut slice` is the target of copies and fills, and a kernel argument, and a scope
/// [holds](crate::Scope::hold) it.
#[doc(alias = "CudaViewMut")]
pub struct DeviceSliceMut<'b, 'ctx, T: Element> {
    pub(super) view: View<'b>,
    pub(super) _brand: Brand<'ctx>,
    pub(super) data: PhantomData<&'b mut [T]>,
}

impl<'b, T: Element> DeviceSliceMut<'b, '_, T> {
    /// Creates a slice from a view that nothing else uses during `'b`.
    pub(super) fn of(view: View<'b>) -> Self {
        DeviceSliceMut { view, _brand: Brand::new(), data: PhantomData }
    }

    #[inline]
    pub(crate) fn view(&self) -> View<'_> {
        self.view
    }
}

impl<'ctx, T: Element> DeviceBuffer<'ctx, T> {
    /// Returns a part of the buffer, for writing.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) for a range that ends past the
    /// buffer, or before it begins.
    pub fn slice_mut(
        &mut self,
        range: impl RangeBounds<usize>,
    ) -> Result<DeviceSliceMut<'_, 'ctx, T>> {
        let part = part("DeviceBuffer::slice_mut", range, self.len())?;
        Ok(DeviceSliceMut::of(self.view().part::<T>(part)))
    }

    /// Splits the buffer in two at `middle`, for writing.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) if `middle` is past the end.
    pub fn split_at_mut(
        &mut self,
        middle: usize,
    ) -> Result<(DeviceSliceMut<'_, 'ctx, T>, DeviceSliceMut<'_, 'ctx, T>)> {
        let (first, second) = halves("DeviceBuffer::split_at_mut", self.len(), middle)?;
        let view = self.view();
        Ok((DeviceSliceMut::of(view.part::<T>(first)), DeviceSliceMut::of(view.part::<T>(second))))
    }

    /// Splits the buffer into consecutive slices of `len` elements, for writing. The last slice has the
    /// remaining elements.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) for a `len` of 0.
    pub fn chunks_mut(
        &mut self,
        len: usize,
    ) -> Result<impl ExactSizeIterator<Item = DeviceSliceMut<'_, 'ctx, T>>> {
        let parts = chunks("DeviceBuffer::chunks_mut", self.len(), len)?;
        let view = self.view();
        Ok(parts.map(move |part| DeviceSliceMut::of(view.part::<T>(part))))
    }
}

impl<'ctx, T: Element> DeviceSliceMut<'_, 'ctx, T> {
    /// Returns the whole slice, for reading.
    #[must_use]
    pub fn as_slice(&self) -> DeviceSlice<'_, 'ctx, T> {
        DeviceSlice::of(self.view)
    }

    /// Returns a part of the slice, for reading.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) for a range that ends past the
    /// slice, or before it begins.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'_, 'ctx, T>> {
        self.as_slice().slice(range)
    }

    /// Returns a part of the slice, for writing.
    ///
    /// # Errors
    /// The errors of [`slice`](Self::slice).
    pub fn slice_mut(
        &mut self,
        range: impl RangeBounds<usize>,
    ) -> Result<DeviceSliceMut<'_, 'ctx, T>> {
        let part = part("DeviceSliceMut::slice_mut", range, self.len())?;
        Ok(DeviceSliceMut::of(self.view.part::<T>(part)))
    }

    /// Splits the slice in two at `middle`, for writing.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) if `middle` is past the end.
    pub fn split_at_mut(
        &mut self,
        middle: usize,
    ) -> Result<(DeviceSliceMut<'_, 'ctx, T>, DeviceSliceMut<'_, 'ctx, T>)> {
        let (first, second) = halves("DeviceSliceMut::split_at_mut", self.len(), middle)?;
        let view = self.view;
        Ok((DeviceSliceMut::of(view.part::<T>(first)), DeviceSliceMut::of(view.part::<T>(second))))
    }

    /// Splits the slice into consecutive slices of `len` elements, for reading. The last slice has the
    /// remaining elements.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) for a `len` of 0.
    pub fn chunks(
        &self,
        len: usize,
    ) -> Result<impl ExactSizeIterator<Item = DeviceSlice<'_, 'ctx, T>>> {
        self.as_slice().chunks(len)
    }

    /// Splits the slice into consecutive slices of `len` elements, for writing. The last slice has the
    /// remaining elements.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) for a `len` of 0.
    pub fn chunks_mut(
        &mut self,
        len: usize,
    ) -> Result<impl ExactSizeIterator<Item = DeviceSliceMut<'_, 'ctx, T>>> {
        let parts = chunks("DeviceSliceMut::chunks_mut", self.len(), len)?;
        let view = self.view;
        Ok(parts.map(move |part| DeviceSliceMut::of(view.part::<T>(part))))
    }
}

/// Returns start and length of the parts before and after a position between two of `len` elements.
#[inline]
fn halves(
    call: &'static str,
    len: usize,
    middle: usize,
) -> Result<((usize, usize), (usize, usize))> {
    Ok((part(call, ..middle, len)?, part(call, middle.., len)?))
}

view_methods!(DeviceSliceMut);
