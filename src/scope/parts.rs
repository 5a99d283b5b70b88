//! Parts of held buffers.

use super::Held;
use super::tracked::{Gate, Use};
use crate::memory::Allocation;
use crate::memory::view::{chunks, offset, part};
use crate::{Context, Element, Result};
use ffi::CUdeviceptr;
use std::fmt;
use std::ops::RangeBounds;

/// Some elements of a [`Held`], to be read: [`Held::slice`].
pub struct HeldSlice<'h, 's, T: Element> {
    held: &'h Held<'s, T>,
    start: usize,
    len: usize,
}

impl<T: Element> Clone for HeldSlice<'_, '_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element> Copy for HeldSlice<'_, '_, T> {}

impl<'s, T: Element> Held<'s, T> {
    /// Some of the elements, to be read. Its reads count as reads of the whole.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) for a range that is empty or ends past the buffer.
    pub fn slice<'h>(&'h self, range: impl RangeBounds<usize>) -> Result<HeldSlice<'h, 's, T>> {
        let (start, len) = part("Held::slice", range, self.len())?;
        Ok(HeldSlice { held: self, start, len })
    }

    /// Two buffers in the place of one: the elements before `middle`, and the others. From here on they
    /// are ordered each by its own uses.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) if one of them had no element.
    pub fn split_at(self, middle: usize) -> Result<(Held<'s, T>, Held<'s, T>)> {
        const CALL: &str = "Held::split_at";
        let (_, first) = part(CALL, ..middle, self.len())?;
        let (_, second) = part(CALL, middle.., self.len())?;
        Ok((self.part(0, first), self.part(first, second)))
    }

    /// Buffers of `len` elements in the place of one, the last of what is left. They are ordered each by its
    /// own uses, so that different streams work on them at a time.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) for a `len` of 0.
    pub fn chunks(self, len: usize) -> Result<Vec<Held<'s, T>>> {
        let parts = chunks("Held::chunks", self.len(), len)?;
        Ok(parts.map(|(start, len)| self.part(start, len)).collect())
    }

    /// A part that stands for its elements in the place of `self`: parts of one buffer are disjoint, and
    /// it is not used again.
    fn part(&self, start: usize, len: usize) -> Held<'s, T> {
        self.with_uses_of(offset::<T>(self.address(), start), len)
    }
}

impl<T: Element> HeldSlice<'_, '_, T> {
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
        self.held.context()
    }

    /// The address on the device of the first element, for calls of [`ffi`].
    #[must_use]
    pub fn address(&self) -> CUdeviceptr {
        offset::<T>(self.held.address(), self.start)
    }

    /// What a graph that names the memory has a share in.
    #[inline]
    pub(super) fn memory(&self) -> &Allocation {
        self.held.memory()
    }

    /// Whether nothing is to be ordered or noted for a use, nor compared.
    #[inline]
    pub(super) fn is_noted(&self, gate: &Gate) -> bool {
        self.held.is_noted(false, gate)
    }

    /// A use by an operation.
    #[inline]
    pub(super) fn used(&self) -> Option<Use<'_>> {
        self.held.used(false)
    }
}

impl<T: Element> fmt::Debug for HeldSlice<'_, '_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{} of {:?}", self.start, self.start + self.len, self.held)
    }
}
