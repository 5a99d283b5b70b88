//! Parts of allocations.

use super::access::Access;
use super::array::{Array, ArraySlice, ArraySliceMut};
use super::texel::Texel;
use super::{
    Allocation, DeviceRange, GrowableBuffer, PitchedBuffer, PitchedSlice, PitchedSliceMut,
};
use crate::context::Context;
use crate::error::{Error, RangeUnit, Result};
use crate::memory::{DeviceBuffer, DeviceSlice, DeviceSliceMut, Element};
use ffi::CUdeviceptr;
use std::ops::{Bound, RangeBounds};

/// Device memory that operations read: a [`DeviceBuffer`], a [`PitchedBuffer`], or a part of one. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory with elements of type `{T}`",
    label = "expected a `DeviceBuffer<{T}>`, a `PitchedBuffer<{T}>`, or a part of one",
    note = "`upload` and `download` copy host memory; a buffer that a scope holds is used on the scope's streams",
    note = "memory of an ordered stream is used there: `adopt` takes a `DeviceBuffer` over, `into_idle` gives it back, `hold_ordered` lends it to a scope"
)]
pub trait DeviceMemory<'ctx, T: Element>: sealed::Viewed {}

/// Device memory that operations write: a [`DeviceBuffer`] or a [`DeviceSliceMut`] of one, a [`PitchedBuffer`] or a
/// [`PitchedSliceMut`] of one. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory with elements of type `{T}` that can be written",
    label = "expected a `DeviceBuffer<{T}>`, a `PitchedBuffer<{T}>`, or a part of one that can be written",
    note = "`slice` and `part` only read: use `slice_mut`, `split_at_mut`, `chunks_mut` or `part_mut` to write a part",
    note = "a buffer that a scope holds is used on the scope's streams; `copy_to_peer` takes none: call `copy_from_peer` on a stream of its context",
    note = "memory of an ordered stream is used there: `adopt` takes a `DeviceBuffer` over, `into_idle` gives it back, `hold_ordered` lends it to a scope"
)]
pub trait DeviceMemoryMut<'ctx, T: Element>: DeviceMemory<'ctx, T> {}

#[diagnostic::do_not_recommend]
impl<'ctx, T: Element> DeviceMemory<'ctx, T> for DeviceBuffer<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Element> DeviceMemory<'ctx, T> for DeviceSlice<'_, 'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Element> DeviceMemory<'ctx, T> for DeviceSliceMut<'_, 'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Element> DeviceMemoryMut<'ctx, T> for DeviceBuffer<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Element> DeviceMemoryMut<'ctx, T> for DeviceSliceMut<'_, 'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Element> DeviceMemory<'ctx, T> for GrowableBuffer<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Element> DeviceMemoryMut<'ctx, T> for GrowableBuffer<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Element> DeviceMemory<'ctx, T> for PitchedBuffer<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Element> DeviceMemory<'ctx, T> for PitchedSlice<'_, 'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Element> DeviceMemory<'ctx, T> for PitchedSliceMut<'_, 'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Element> DeviceMemoryMut<'ctx, T> for PitchedBuffer<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Element> DeviceMemoryMut<'ctx, T> for PitchedSliceMut<'_, 'ctx, T> {}

#[diagnostic::do_not_recommend]
impl<'ctx, T: Texel> DeviceMemory<'ctx, T> for Array<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Texel> DeviceMemory<'ctx, T> for ArraySlice<'_, 'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Texel> DeviceMemory<'ctx, T> for ArraySliceMut<'_, 'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Texel> DeviceMemoryMut<'ctx, T> for Array<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Texel> DeviceMemoryMut<'ctx, T> for ArraySliceMut<'_, 'ctx, T> {}

/// Some elements of an allocation.
#[derive(Clone, Copy)]
pub(crate) struct View<'b> {
    pub(crate) memory: &'b Allocation,
    pub(crate) address: CUdeviceptr,
    /// The number of elements.
    pub(crate) len: usize,
    /// Whether it is the whole allocation.
    pub(crate) whole: bool,
}

impl<'b> View<'b> {
    /// Returns a part of it with elements of type `T`, from start and length, as [`part`] or [`chunks`] return
    /// them for its length.
    pub(crate) fn part<T>(self, (start, len): (usize, usize)) -> View<'b> {
        let whole = self.whole && len == self.len;
        View { address: offset::<T>(self.address, start), len, whole, ..self }
    }

    #[inline]
    pub(crate) fn context(&self) -> &'b Context {
        self.memory.context()
    }
}

pub(crate) mod sealed {
    use super::*;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `DeviceMemory`, which is sealed",
        label = "only `DeviceBuffer`, `PitchedBuffer` and parts of them do"
    )]
    pub trait Viewed {
        #[doc(hidden)]
        type Element: Element;
        /// Returns the access of an operation.
        fn access(&self, writes: bool) -> Access<'_>;
        #[doc(hidden)]
        fn context_of(&self) -> &Context;
    }

    macro_rules! viewed {
        ($($bound:ident: $memory:ty;)*) => { $(
            #[diagnostic::do_not_recommend]
            impl<T: $bound> Viewed for $memory {
                type Element = T;
                #[inline]
                fn access(&self, writes: bool) -> Access<'_> {
                    self.used(writes)
                }
                fn context_of(&self) -> &Context {
                    self.context()
                }
            }
        )* };
    }
    viewed! {
        Element: DeviceBuffer<'_, T>;
        Element: DeviceSlice<'_, '_, T>;
        Element: DeviceSliceMut<'_, '_, T>;
        Element: GrowableBuffer<'_, T>;
        Element: PitchedBuffer<'_, T>;
        Element: PitchedSlice<'_, '_, T>;
        Element: PitchedSliceMut<'_, '_, T>;
        Texel: Array<'_, T>;
        Texel: ArraySlice<'_, '_, T>;
        Texel: ArraySliceMut<'_, '_, T>;
        Element: DeviceRange<'_, T>;
    }
}

/// The methods that both kinds of slices have.
macro_rules! view_methods {
    ($slice:ident) => {
        impl<T: Element> $slice<'_, '_, T> {
            /// Returns the number of elements.
            #[must_use]
            #[inline]
            pub fn len(&self) -> usize {
                self.view.len
            }

            /// Returns whether there are no elements.
            #[must_use]
            #[inline]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Returns the size in bytes.
            #[must_use]
            #[inline]
            pub fn size_bytes(&self) -> usize {
                self.len() * size_of::<T>()
            }

            /// Returns the context.
            #[must_use]
            pub fn context(&self) -> &$crate::Context {
                self.view.context()
            }

            /// Returns the device address of the first element, for calls of [`ffi`].
            #[must_use]
            #[inline]
            pub fn address(&self) -> ffi::CUdeviceptr {
                self.view.address
            }

            /// Returns the access of an operation.
            #[inline]
            pub(crate) fn used(&self, writes: bool) -> $crate::memory::access::Access<'_> {
                $crate::memory::access::Access::device::<T>(self.view, writes)
            }
        }

        impl<T: Element> std::fmt::Debug for $slice<'_, '_, T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let (kind, element) = (stringify!($slice), std::any::type_name::<T>());
                let (len, address) = (self.len(), self.address());
                write!(f, "{kind}<{element}>({len} at {address:#x}, {:?})", self.context())
            }
        }
    };
}
pub(super) use view_methods;

/// Returns start and length of a range of `len` elements.
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
        (Some(start), Some(end)) if start <= end && end <= len => Ok((start, end - start)),
        _ => Err(Error::InvalidRange {
            call,
            end: end.unwrap_or(usize::MAX),
            len,
            unit: RangeUnit::Elements,
        }),
    }
}

/// Returns start and length of each piece of `size` elements of `len`. The last piece has the remaining
/// elements.
#[inline]
pub(crate) fn chunks(
    call: &'static str,
    len: usize,
    size: usize,
) -> Result<impl ExactSizeIterator<Item = (usize, usize)>> {
    if size == 0 {
        return Err(Error::InvalidRange { call, end: 0, len, unit: RangeUnit::Chunk });
    }
    Ok((0..len).step_by(size).map(move |start| (start, size.min(len - start))))
}

/// Returns the address of an element of a buffer.
pub(crate) fn offset<T>(address: CUdeviceptr, elements: usize) -> CUdeviceptr {
    address + (elements * size_of::<T>()) as CUdeviceptr
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_ends_in_the_buffer() {
        let part = |range: (Bound<usize>, Bound<usize>)| part("x", range, 10).ok();
        use Bound::{Excluded, Included, Unbounded};
        assert_eq!(part((Unbounded, Unbounded)), Some((0, 10)));
        assert_eq!(part((Included(9), Excluded(10))), Some((9, 1)));
        assert_eq!(part((Excluded(0), Included(9))), Some((1, 9)));
        assert_eq!(part((Included(3), Excluded(3))), Some((3, 0)), "empty");
        assert_eq!(part((Included(4), Excluded(3))), None, "backwards");
        assert_eq!(part((Included(0), Excluded(11))), None, "past the end");
        assert_eq!(part((Included(10), Unbounded)), Some((10, 0)), "the empty end");
        assert_eq!(part((Included(11), Unbounded)), None);
        assert_eq!(part((Unbounded, Included(usize::MAX))), None);
        assert_eq!(part((Excluded(usize::MAX), Unbounded)), None);
    }

    #[test]
    fn chunks_are_disjoint_and_all_of_it() {
        let pieces = |len, size| chunks("x", len, size).map(Iterator::collect::<Vec<_>>).ok();
        assert_eq!(pieces(5, 2), Some(vec![(0, 2), (2, 2), (4, 1)]));
        assert_eq!(pieces(4, 2), Some(vec![(0, 2), (2, 2)]));
        assert_eq!(pieces(1, usize::MAX), Some(vec![(0, 1)]));
        assert_eq!(pieces(0, 2), Some(vec![]));
        assert_eq!(pieces(3, 0), None);
    }
}
