//! Buffers of rows and planes that a scope holds.

use crate::brand::{Brand, tied_to_one_thread};
use crate::error::Result;
use crate::memory::Element;
use crate::memory::access::Access;
use crate::memory::grid::Axis;
use crate::memory::pitched::{PitchedView, pitched_methods, view_methods};
use crate::memory::uses::Tracked;
use static_assertions::assert_not_impl_any;
use std::marker::PhantomData;
use std::ops::RangeBounds;

/// A buffer of rows and planes that a scope holds, for reading and writing on any of its streams.
///
/// [`Scope::hold`](crate::Scope::hold) returns one for a [`PitchedBuffer`](crate::memory::PitchedBuffer). Use
/// it as a [`ScopedBuffer`](crate::ScopedBuffer): `&held` for operations that read it, `&mut held` for
/// operations that write it. It belongs to its scope alone: `'s` is invariant.
///
/// # Examples
/// ```
/// # use cuscope::{Context, ContextFlags, ContextStack, Device};
/// # fn main() -> cuscope::Result {
/// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// # let mut stack = ContextStack::current_thread()?;
/// # let gpu = stack.push(&context)?;
/// # let (first, second) = (gpu.stream()?, gpu.stream()?);
/// let mut image = gpu.alloc_pitched::<u32>((4, 2))?;
/// gpu.scope(|s| {
///     // Two streams fill one half each, at the same time.
///     let (mut left, mut right) = s.hold(&mut image).split_columns_at(2)?;
///     s.on(&first).fill(&mut left, 1)?;
///     s.on(&second).fill(&mut right, 2)
/// })?;
/// assert_eq!(gpu.on(&first).to_vec(&image)?, [1, 1, 2, 2, 1, 1, 2, 2]);
/// # Ok(()) }
/// ```
pub struct ScopedPitchedBuffer<'s, T: Element> {
    view: PitchedView<'s>,
    tracked: Tracked,
    _s: Brand<'s>,
    _data: PhantomData<T>,
}
tied_to_one_thread! { ['s, T: Element] ScopedPitchedBuffer<'s, T>, 's; }
assert_not_impl_any!(ScopedPitchedBuffer<'static, f32>: Send, Sync);

/// A rectangle or box of a [`ScopedPitchedBuffer`], for reading: [`ScopedPitchedBuffer::part`].
pub struct ScopedPitchedSlice<'h, 's, T: Element> {
    held: &'h ScopedPitchedBuffer<'s, T>,
    view: PitchedView<'s>,
}

/// A rectangle or box of a [`ScopedPitchedBuffer`], for reading and writing: [`ScopedPitchedBuffer::part_mut`].
pub struct ScopedPitchedSliceMut<'h, 's, T: Element> {
    held: &'h mut ScopedPitchedBuffer<'s, T>,
    view: PitchedView<'s>,
}

impl<T: Element> Clone for ScopedPitchedSlice<'_, '_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element> Copy for ScopedPitchedSlice<'_, '_, T> {}

impl<'s, T: Element> ScopedPitchedBuffer<'s, T> {
    /// Holds a view that nothing else uses during `'s`.
    pub(super) fn of_view(view: PitchedView<'s>) -> Self {
        Self::used_before(view, Tracked::default())
    }

    fn used_before(view: PitchedView<'s>, tracked: Tracked) -> Self {
        ScopedPitchedBuffer { view, tracked, _s: Brand::new(), _data: PhantomData }
    }

    /// Returns the access of an operation.
    #[inline]
    pub(crate) fn used(&self, writes: bool) -> Access<'_> {
        self.view.used::<T>(writes).noted_in(&self.tracked)
    }

    /// Returns a rectangle or box, for reading. Its reads count as reads of the whole.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) for a range that ends past the buffer, or before it begins.
    pub fn part<'h>(
        &'h self,
        columns: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        planes: impl RangeBounds<usize>,
    ) -> Result<ScopedPitchedSlice<'h, 's, T>> {
        let view = self.view.part::<T>("ScopedPitchedBuffer::part", columns, rows, planes)?;
        Ok(ScopedPitchedSlice { held: self, view })
    }

    /// Returns a rectangle or box, for writing. Its uses count as uses of the whole.
    ///
    /// # Errors
    /// The errors of [`part`](Self::part).
    pub fn part_mut<'h>(
        &'h mut self,
        columns: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        planes: impl RangeBounds<usize>,
    ) -> Result<ScopedPitchedSliceMut<'h, 's, T>> {
        let view = self.view.part::<T>("ScopedPitchedBuffer::part_mut", columns, rows, planes)?;
        Ok(ScopedPitchedSliceMut { held: self, view })
    }

    /// Splits the buffer in two: the columns before `middle`, and the others. From then on, each part is ordered by
    /// its own uses, so different streams can work on them simultaneously.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) if `middle` is past the end.
    pub fn split_columns_at(self, middle: usize) -> Result<(Self, Self)> {
        self.split("ScopedPitchedBuffer::split_columns_at", Axis::Columns, middle)
    }

    /// Splits the buffer in two: in each plane, the rows before `middle`, and the others. From then on, each part is
    /// ordered by its own uses.
    ///
    /// # Errors
    /// The errors of [`split_columns_at`](Self::split_columns_at).
    pub fn split_rows_at(self, middle: usize) -> Result<(Self, Self)> {
        self.split("ScopedPitchedBuffer::split_rows_at", Axis::Rows, middle)
    }

    /// Splits the buffer in two: the planes before `middle`, and the others. From then on, each part is ordered by
    /// its own uses.
    ///
    /// # Errors
    /// The errors of [`split_columns_at`](Self::split_columns_at).
    pub fn split_planes_at(self, middle: usize) -> Result<(Self, Self)> {
        self.split("ScopedPitchedBuffer::split_planes_at", Axis::Planes, middle)
    }

    /// Splits it in parts that share no element. Each counts as used as the whole was.
    fn split(self, call: &'static str, axis: Axis, middle: usize) -> Result<(Self, Self)> {
        let [first, second] = self.view.halves::<T>(call, axis, middle)?;
        let first = Self::used_before(first, self.tracked.clone());
        Ok((first, Self::used_before(second, self.tracked)))
    }
}

macro_rules! uses_of_the_whole {
    ($($slice:ident)*) => { $(
        impl<T: Element> $slice<'_, '_, T> {
            /// Returns the access of an operation. It counts as one to the whole.
            #[inline]
            pub(crate) fn used(&self, writes: bool) -> Access<'_> {
                self.view.used::<T>(writes).noted_in(&self.held.tracked)
            }
        }
    )* };
}
uses_of_the_whole!(ScopedPitchedSlice ScopedPitchedSliceMut);

view_methods! {
    ['_] ScopedPitchedBuffer;
    ['_, '_] ScopedPitchedSlice;
    ['_, '_] ScopedPitchedSliceMut;
}
pitched_methods! {
    ['_] ScopedPitchedBuffer;
    ['_, '_] ScopedPitchedSlice;
    ['_, '_] ScopedPitchedSliceMut;
}
