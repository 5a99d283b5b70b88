//! Parts of buffers, to be read.

use crate::memory::Allocation;
use crate::sync::Arc;
use crate::{Context, DeviceBuffer, Element, Error, Result};
use ffi::CUdeviceptr;
use std::fmt;
use std::ops::{Bound, RangeBounds};

/// Some elements of a [`DeviceBuffer`], to be read: [`DeviceBuffer::slice`]. A kernel argument, and what
/// [queues](crate::Queue) copy from.
pub struct DeviceSlice<'b, 'ctx, T: Element> {
    buffer: &'b DeviceBuffer<'ctx, T>,
    start: usize,
    len: usize,
}

impl<T: Element> Clone for DeviceSlice<'_, '_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element> Copy for DeviceSlice<'_, '_, T> {}

impl<'ctx, T: Element> DeviceBuffer<'ctx, T> {
    /// Some of the elements, to be read. What is to be written is [held](crate::Scope::hold) and
    /// [split](crate::Held::split_at).
    ///
    /// # Errors
    /// [`Error::InvalidRange`] for a range that is empty or ends past the buffer.
    pub fn slice<'b>(&'b self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'b, 'ctx, T>> {
        let (start, len) = part("DeviceBuffer::slice", range, self.len())?;
        Ok(DeviceSlice { buffer: self, start, len })
    }
}

impl<T: Element> DeviceSlice<'_, '_, T> {
    /// Number of elements; never 0.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a slice is never empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.buffer.context()
    }

    /// What a graph that names the memory keeps.
    pub(crate) fn memory(&self) -> &Arc<Allocation> {
        &self.buffer.inner
    }

    /// The address on the device of the first element, for calls of [`ffi`].
    #[must_use]
    pub fn address(&self) -> CUdeviceptr {
        offset::<T>(self.buffer.address(), self.start)
    }
}

impl<T: Element> fmt::Debug for DeviceSlice<'_, '_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{} of {:?}", self.start, self.start + self.len, self.buffer)
    }
}

/// Start and length of a range of at least one of `len` elements.
pub(crate) fn part(
    call: &'static str,
    range: impl RangeBounds<usize>,
    len: usize,
) -> Result<(usize, usize)> {
    let start = match range.start_bound() {
        Bound::Included(&start) => Some(start),
        Bound::Excluded(&before) => before.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.checked_add(1),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => Some(len),
    };
    match (start, end) {
        (Some(start), Some(end)) if start < end && end <= len => Ok((start, end - start)),
        _ => Err(Error::InvalidRange { call, end: end.unwrap_or(usize::MAX), len }),
    }
}

/// The address of an element of a buffer.
pub(crate) fn offset<T>(address: CUdeviceptr, elements: usize) -> CUdeviceptr {
    address + (elements * size_of::<T>()) as CUdeviceptr
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_an_element_and_ends_in_the_buffer() {
        let part = |range: (Bound<usize>, Bound<usize>)| part("x", range, 10).ok();
        use Bound::{Excluded, Included, Unbounded};
        assert_eq!(part((Unbounded, Unbounded)), Some((0, 10)));
        assert_eq!(part((Included(9), Excluded(10))), Some((9, 1)));
        assert_eq!(part((Excluded(0), Included(9))), Some((1, 9)));
        assert_eq!(part((Included(3), Excluded(3))), None, "empty");
        assert_eq!(part((Included(4), Excluded(3))), None, "backwards");
        assert_eq!(part((Included(0), Excluded(11))), None, "past the end");
        assert_eq!(part((Included(10), Unbounded)), None);
        assert_eq!(part((Unbounded, Included(usize::MAX))), None);
        assert_eq!(part((Excluded(usize::MAX), Unbounded)), None);
    }
}
