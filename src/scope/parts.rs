//! Parts of held buffers.

use super::ScopedBuffer;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::memory::Element;
use crate::memory::access::Access;
use crate::memory::view::{View, chunks, part};
use ffi::CUdeviceptr;
use std::fmt;
use std::ops::RangeBounds;

/// A part of a [`ScopedBuffer`], for reading: [`ScopedBuffer::slice`].
pub struct ScopedSlice<'h, 's, T: Element> {
    held: &'h ScopedBuffer<'s, T>,
    view: View<'s>,
}

/// A part of a [`ScopedBuffer`], for reading and writing: [`ScopedBuffer::slice_mut`].
///
/// Pass `&mut part` to operations that write it, and `&part` to those that read it.
pub struct ScopedSliceMut<'h, 's, T: Element> {
    held: &'h mut ScopedBuffer<'s, T>,
    view: View<'s>,
}

impl<T: Element> Clone for ScopedSlice<'_, '_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element> Copy for ScopedSlice<'_, '_, T> {}

impl<'s, T: Element> ScopedBuffer<'s, T> {
    /// Returns a part of the buffer, for reading. Its reads count as reads of the whole.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) for a range that ends past the buffer, or before it begins.
    pub fn slice<'h>(&'h self, range: impl RangeBounds<usize>) -> Result<ScopedSlice<'h, 's, T>> {
        let part = part("ScopedBuffer::slice", range, self.len())?;
        Ok(ScopedSlice { held: self, view: self.view().part::<T>(part) })
    }

    /// Returns a part of the buffer, for writing. Its uses count as uses of the whole: parts that different streams
    /// work on simultaneously come from [`split_at`](Self::split_at) and [`chunks`](Self::chunks).
    ///
    /// # Errors
    /// The errors of [`slice`](Self::slice).
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let (stream, mut x, mut y) = (gpu.stream()?, gpu.alloc::<u32>(4)?, gpu.alloc::<u32>(4)?);
    /// gpu.scope(|s| {
    ///     let (stream, mut x, mut y) = (s.on(&stream), s.hold(&mut x), s.hold(&mut y));
    ///     stream.fill(&mut x, 1)?;
    ///     stream.fill(&mut y, 2)?;
    ///     stream.copy(&x.slice(..2)?, &mut y.slice_mut(1..3)?)
    /// })?;
    /// assert_eq!(gpu.on(&stream).to_vec(&y)?, [2, 1, 1, 2]);
    /// # Ok(()) }
    /// ```
    pub fn slice_mut<'h>(
        &'h mut self,
        range: impl RangeBounds<usize>,
    ) -> Result<ScopedSliceMut<'h, 's, T>> {
        let part = part("ScopedBuffer::slice_mut", range, self.len())?;
        let view = self.view().part::<T>(part);
        Ok(ScopedSliceMut { held: self, view })
    }

    /// Splits the buffer in two: the elements before `middle`, and the others. From then on, each part is
    /// ordered by its own uses.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) if `middle` is past the end.
    pub fn split_at(self, middle: usize) -> Result<(ScopedBuffer<'s, T>, ScopedBuffer<'s, T>)> {
        const CALL: &str = "ScopedBuffer::split_at";
        let first = part(CALL, ..middle, self.len())?;
        let second = part(CALL, middle.., self.len())?;
        let parts = (self.with_uses_of(first), self.with_uses_of(second));
        self.replaced();
        Ok(parts)
    }

    /// Splits the buffer into parts of `len` elements. The last part has the remaining elements. Each part is
    /// ordered by its own uses, so different streams can work on them simultaneously.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) for a `len` of 0; `CUDA_ERROR_OUT_OF_MEMORY` for more parts than
    /// the host has memory for.
    pub fn chunks(self, len: usize) -> Result<Vec<ScopedBuffer<'s, T>>> {
        const CALL: &str = "ScopedBuffer::chunks";
        let all = chunks(CALL, self.len(), len)?;
        let mut parts = Vec::new();
        let room = parts.try_reserve_exact(self.len().div_ceil(len));
        room.map_err(|_| Error::no_host_memory(CALL))?;
        parts.extend(all.map(|part| self.with_uses_of(part)));
        self.replaced();
        Ok(parts)
    }
}

/// The methods that both kinds of parts have.
macro_rules! part_methods {
    ($($slice:ident)*) => { $(
        impl<T: Element> $slice<'_, '_, T> {
            /// Returns the number of elements.
            #[must_use]
            pub fn len(&self) -> usize {
                self.view.len
            }

            /// Returns whether there are no elements.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Returns the size in bytes.
            #[must_use]
            pub fn size_bytes(&self) -> usize {
                self.len() * size_of::<T>()
            }

            /// Returns the context.
            #[must_use]
            pub fn context(&self) -> &Context {
                self.held.context()
            }

            /// Returns the device address of the first element, for calls of [`ffi`].
            #[must_use]
            pub fn address(&self) -> CUdeviceptr {
                self.view.address
            }

            /// Returns the access of an operation.
            #[inline]
            pub(crate) fn used(&self, writes: bool) -> Access<'_> {
                self.held.used_part(self.view, writes)
            }
        }

        impl<T: Element> fmt::Debug for $slice<'_, '_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let start = (self.address() - self.held.address()) as usize / size_of::<T>().max(1);
                write!(f, "{start}..{} of {:?}", start + self.len(), self.held)
            }
        }
    )* };
}
part_methods!(ScopedSlice ScopedSliceMut);
