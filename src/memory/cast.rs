//! Memory as elements of another type.

use super::view::View;
use super::{DeviceBuffer, DeviceSlice, DeviceSliceMut, Element};
use crate::error::{Error, Result};

impl<'b> View<'b> {
    /// Returns the same bytes as elements of type `U`. Both types are plain data.
    fn cast<T: Element, U: Element>(self, call: &'static str) -> Result<View<'b>> {
        let reason = match (self.len * size_of::<T>()).checked_rem(size_of::<U>()) {
            Some(0) if self.address % align_of::<U>() as u64 == 0 => {
                let len = self.len * size_of::<T>() / size_of::<U>();
                return Ok(View { len, ..self });
            }
            Some(0) => {
                "the memory is not aligned for the new type: cast a part that begins elsewhere"
            }
            Some(_) => {
                "the memory does not end with a whole element of the new type: cast a part that does"
            }
            None => "the new type has no bytes",
        };
        Err(Error::InvalidArgument { call, reason: reason.into() })
    }
}

/// # Elements of another type
impl<'ctx, T: Element> DeviceBuffer<'ctx, T> {
    /// Returns the memory as elements of another type, for reading.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) if the memory has no whole number of such elements, or is not
    /// aligned for them.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextFlags, ContextStack, Device};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// # let stream = gpu.stream()?;
    /// let complex = gpu.on(&stream).from_slice(&[[1.0_f32, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(gpu.on(&stream).to_vec(&complex.cast::<f32>()?)?, [1.0, 2.0, 3.0, 4.0]);
    /// # Ok(()) }
    /// ```
    pub fn cast<U: Element>(&self) -> Result<DeviceSlice<'_, 'ctx, U>> {
        self.view().cast::<T, U>("DeviceBuffer::cast").map(DeviceSlice::of)
    }

    /// Returns the memory as elements of another type, for writing.
    ///
    /// # Errors
    /// The errors of [`cast`](Self::cast).
    pub fn cast_mut<U: Element>(&mut self) -> Result<DeviceSliceMut<'_, 'ctx, U>> {
        self.view().cast::<T, U>("DeviceBuffer::cast_mut").map(DeviceSliceMut::of)
    }
}

/// # Elements of another type
impl<'b, 'ctx, T: Element> DeviceSlice<'b, 'ctx, T> {
    /// Returns the memory as elements of another type.
    ///
    /// # Errors
    /// The errors of [`DeviceBuffer::cast`].
    pub fn cast<U: Element>(&self) -> Result<DeviceSlice<'b, 'ctx, U>> {
        self.view.cast::<T, U>("DeviceSlice::cast").map(DeviceSlice::of)
    }
}

/// # Elements of another type
impl<'ctx, T: Element> DeviceSliceMut<'_, 'ctx, T> {
    /// Returns the memory as elements of another type, for reading.
    ///
    /// # Errors
    /// The errors of [`DeviceBuffer::cast`].
    pub fn cast<U: Element>(&self) -> Result<DeviceSlice<'_, 'ctx, U>> {
        self.as_slice().cast()
    }

    /// Returns the memory as elements of another type, for writing.
    ///
    /// # Errors
    /// The errors of [`DeviceBuffer::cast`].
    pub fn cast_mut<U: Element>(&mut self) -> Result<DeviceSliceMut<'_, 'ctx, U>> {
        self.view.cast::<T, U>("DeviceSliceMut::cast_mut").map(DeviceSliceMut::of)
    }
}
