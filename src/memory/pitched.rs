//! Buffers of rows and planes in device memory.
#![allow(unsafe_code, reason = "calls the driver")]

use super::access::Access;
use super::buffer::too_large;
use super::grid::{Axis, Extent, Grid};
use super::refusals::allocated;
use super::{Allocation, Element};
use crate::brand::Brand;
use crate::call::{answer, name};
use crate::context::Context;
use crate::error::Result;
use crate::stack::PushedGuard;
use ffi::CUdeviceptr;
use static_assertions::assert_impl_all;
use std::marker::PhantomData;
use std::ops::RangeBounds;

/// A buffer of rows, or of planes of rows, in device memory. Each row begins at an address that suits the device.
///
/// [`PushedGuard::alloc_pitched`] allocates one. Copies and fills take it as they take a
/// [`DeviceBuffer`](crate::DeviceBuffer), and [`part`](Self::part) and [`part_mut`](Self::part_mut) select a
/// rectangle or a box. Memory without rows, such as a slice of the host, stands for packed rows in a copy: the
/// rows follow each other without gaps.
///
/// A kernel receives the address of the first element. Pass the [`pitch`](Self::pitch), the distance from row to
/// row, as an argument of its own.
///
/// # Examples
/// ```
/// use cuscope::{Context, ContextFlags, ContextStack, Device};
///
/// # fn main() -> cuscope::Result {
/// let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
/// let stream = gpu.stream()?;
/// let mut image = gpu.alloc_pitched::<u32>((3, 2))?; // two rows of three
/// gpu.on(&stream).upload(&[1, 2, 3, 4, 5, 6], &mut image)?;
/// // Columns 1 and 2 of both rows, in all planes.
/// gpu.on(&stream).fill(&mut image.part_mut(1.., .., ..)?, 0)?;
/// assert_eq!(gpu.on(&stream).to_vec(&image)?, [1, 0, 0, 4, 0, 0]);
/// # Ok(()) }
/// ```
pub struct PitchedBuffer<'ctx, T: Element> {
    pub(crate) inner: Allocation,
    pub(crate) grid: Grid,
    pub(crate) _brand: Brand<'ctx>,
    pub(crate) data: PhantomData<T>,
}
assert_impl_all!(PitchedBuffer<'static, f32>: Send, Sync);

/// A rectangle or box of a [`PitchedBuffer`], for reading: [`PitchedBuffer::part`].
pub struct PitchedSlice<'b, 'ctx, T: Element> {
    view: PitchedView<'b>,
    _brand: Brand<'ctx>,
    data: PhantomData<T>,
}

impl<T: Element> Clone for PitchedSlice<'_, '_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element> Copy for PitchedSlice<'_, '_, T> {}

/// A rectangle or box of a [`PitchedBuffer`], for reading and writing: [`PitchedBuffer::part_mut`].
pub struct PitchedSliceMut<'b, 'ctx, T: Element> {
    view: PitchedView<'b>,
    _brand: Brand<'ctx>,
    data: PhantomData<&'b mut [T]>,
}

/// Some rows and planes of an allocation.
#[derive(Clone, Copy)]
pub(crate) struct PitchedView<'b> {
    memory: &'b Allocation,
    address: CUdeviceptr,
    grid: Grid,
    /// Whether it is the whole allocation.
    whole: bool,
}

impl<'b> PitchedView<'b> {
    /// Returns the part at an offset, with its grid.
    #[inline]
    fn at(self, (offset, grid): (usize, Grid)) -> Self {
        let whole = self.whole && grid == self.grid;
        PitchedView { address: self.address + offset as CUdeviceptr, grid, whole, ..self }
    }

    /// Returns the elements of a grid in an array.
    #[inline]
    pub(super) fn of_array(memory: &'b Allocation, grid: Grid, whole: bool) -> Self {
        let address = grid.array.map_or(0, |array| array.base);
        PitchedView { memory, address, grid, whole }
    }

    pub(crate) fn part<T>(
        self,
        call: &'static str,
        columns: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        planes: impl RangeBounds<usize>,
    ) -> Result<Self> {
        Ok(self.at(self.grid.part::<T>(call, columns, rows, planes)?))
    }

    pub(crate) fn halves<T>(
        self,
        call: &'static str,
        axis: Axis,
        middle: usize,
    ) -> Result<[Self; 2]> {
        Ok(self.grid.halves::<T>(call, axis, middle)?.map(|half| self.at(half)))
    }

    pub(crate) fn address(&self) -> CUdeviceptr {
        self.address
    }

    pub(crate) fn grid(&self) -> &Grid {
        &self.grid
    }

    #[inline]
    pub(crate) fn context(&self) -> &'b Context {
        self.memory.context()
    }

    /// Returns the access of an operation.
    #[inline]
    pub(crate) fn used<T>(&self, writes: bool) -> Access<'_> {
        Access::pitched::<T>(self.memory, self.address, &self.grid, self.whole, writes)
    }
}

/// # Memory in rows and planes
impl<'ctx> PushedGuard<'ctx> {
    /// Allocates a buffer of rows, or of planes of rows: `(width, height)` or `(width, height, depth)`. Its contents
    /// are unspecified bytes. An empty buffer has no memory, the address 0 and the pitch 0.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a buffer of more than an address space
    /// holds; `CUDA_ERROR_OUT_OF_MEMORY` ([F259](crate::driver_facts#F259));
    /// [`NotCurrent`](crate::Error::NotCurrent).
    #[doc(alias = "cuMemAllocPitch")]
    #[doc(alias = "cudaMallocPitch")]
    pub fn alloc_pitched<T: Element>(
        &self,
        extent: impl Into<Extent>,
    ) -> Result<PitchedBuffer<'ctx, T>> {
        const CALL: &str = name!(cuMemAllocPitch_v2);
        let extent = extent.into();
        let bytes = extent.checked_len().and_then(|len| len.checked_mul(size_of::<T>()));
        let bytes = bytes.ok_or_else(|| too_large(CALL))?;
        self.enter(CALL)?;
        if bytes == 0 {
            let (inner, pitch) = (Allocation::nowhere(self.context().clone()), 0);
            let grid = Grid::of(extent, pitch);
            return Ok(PitchedBuffer { inner, grid, _brand: Brand::new(), data: PhantomData });
        }
        let (row, rows) = (extent.width * size_of::<T>(), extent.height * extent.depth);
        // The size of the widest load or store of a kernel, for which the driver aligns rows.
        let widest = match size_of::<T>() {
            16 => 16,
            8 => 8,
            _ => 4,
        };
        let (mut address, mut pitch) = (0, 0);
        let into = (&raw mut address, &raw mut pitch);
        // SAFETY: writes one address to `address` and one number to `pitch`, which are valid for them; acts on the
        // current context, which `enter` found to be the guard's.
        let make =
            move || unsafe { answer!(cuMemAllocPitch_v2(into.0, into.1, row, rows, widest)) };
        allocated(|| self.device(), bytes, make)?;
        let inner = Allocation::plain(address, self.context().clone());
        let grid = Grid::of(extent, pitch);
        Ok(PitchedBuffer { inner, grid, _brand: Brand::new(), data: PhantomData })
    }
}

impl<'ctx, T: Element> PitchedBuffer<'ctx, T> {
    /// Returns the buffer as one of another guard of its context, or of none.
    #[inline]
    pub(crate) fn with_brand<'b>(self) -> PitchedBuffer<'b, T> {
        let PitchedBuffer { inner, grid, _brand: _, data } = self;
        PitchedBuffer { inner, grid, _brand: Brand::new(), data }
    }

    pub(crate) fn view(&self) -> PitchedView<'_> {
        let (memory, grid) = (&self.inner, self.grid);
        PitchedView { memory, address: memory.address(), grid, whole: true }
    }

    /// Returns the access of an operation.
    #[inline]
    pub(crate) fn used(&self, writes: bool) -> Access<'_> {
        Access::pitched::<T>(&self.inner, self.inner.address(), &self.grid, true, writes)
    }

    fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.inner.context()
    }

    /// Returns the address of the first element on the device, for calls of [`ffi`]. It is valid while this value
    /// lives. Do not free it.
    #[must_use]
    pub fn address(&self) -> CUdeviceptr {
        self.inner.address()
    }

    /// Returns a rectangle or box, for reading: some columns of some rows of some planes.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) for a range that ends past the buffer, or before it begins.
    pub fn part(
        &self,
        columns: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        planes: impl RangeBounds<usize>,
    ) -> Result<PitchedSlice<'_, 'ctx, T>> {
        let view = self.view().part::<T>("PitchedBuffer::part", columns, rows, planes)?;
        Ok(PitchedSlice::of(view))
    }

    /// Returns a rectangle or box, for writing: some columns of some rows of some planes.
    ///
    /// # Errors
    /// The errors of [`part`](Self::part).
    pub fn part_mut(
        &mut self,
        columns: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        planes: impl RangeBounds<usize>,
    ) -> Result<PitchedSliceMut<'_, 'ctx, T>> {
        let view = self.view().part::<T>("PitchedBuffer::part_mut", columns, rows, planes)?;
        Ok(PitchedSliceMut::of(view))
    }
}

impl<'b, 'ctx, T: Element> PitchedSlice<'b, 'ctx, T> {
    fn of(view: PitchedView<'b>) -> Self {
        PitchedSlice { view, _brand: Brand::new(), data: PhantomData }
    }

    /// Returns a part of it.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) for a range that ends past the slice, or before it begins.
    pub fn part(
        &self,
        columns: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        planes: impl RangeBounds<usize>,
    ) -> Result<PitchedSlice<'b, 'ctx, T>> {
        let view = self.view.part::<T>("PitchedSlice::part", columns, rows, planes)?;
        Ok(PitchedSlice::of(view))
    }
}

impl<'b, 'ctx, T: Element> PitchedSliceMut<'b, 'ctx, T> {
    /// Creates a slice from a view that nothing else uses during `'b`.
    fn of(view: PitchedView<'b>) -> Self {
        PitchedSliceMut { view, _brand: Brand::new(), data: PhantomData }
    }

    pub(crate) fn view(&self) -> PitchedView<'_> {
        self.view
    }

    /// Returns a part of it, for reading.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) for a range that ends past the slice, or before it begins.
    pub fn part(
        &self,
        columns: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        planes: impl RangeBounds<usize>,
    ) -> Result<PitchedSlice<'_, 'ctx, T>> {
        let view = self.view.part::<T>("PitchedSliceMut::part", columns, rows, planes)?;
        Ok(PitchedSlice::of(view))
    }

    /// Returns a part of it, for writing.
    ///
    /// # Errors
    /// The errors of [`part`](Self::part).
    pub fn part_mut(
        &mut self,
        columns: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        planes: impl RangeBounds<usize>,
    ) -> Result<PitchedSliceMut<'_, 'ctx, T>> {
        let view = self.view.part::<T>("PitchedSliceMut::part_mut", columns, rows, planes)?;
        Ok(PitchedSliceMut::of(view))
    }

    /// Splits it in two: the columns before `middle`, and the others.
    ///
    /// # Errors
    /// [`Error::InvalidRange`](crate::Error::InvalidRange) if `middle` is past the end.
    pub fn split_columns_at(self, middle: usize) -> Result<(Self, Self)> {
        self.split("PitchedSliceMut::split_columns_at", Axis::Columns, middle)
    }

    /// Splits it in two: in each plane, the rows before `middle`, and the others.
    ///
    /// # Errors
    /// The errors of [`split_columns_at`](Self::split_columns_at).
    pub fn split_rows_at(self, middle: usize) -> Result<(Self, Self)> {
        self.split("PitchedSliceMut::split_rows_at", Axis::Rows, middle)
    }

    /// Splits it in two: the planes before `middle`, and the others.
    ///
    /// # Errors
    /// The errors of [`split_columns_at`](Self::split_columns_at).
    pub fn split_planes_at(self, middle: usize) -> Result<(Self, Self)> {
        self.split("PitchedSliceMut::split_planes_at", Axis::Planes, middle)
    }

    fn split(self, call: &'static str, axis: Axis, middle: usize) -> Result<(Self, Self)> {
        let [first, second] = self.view.halves::<T>(call, axis, middle)?;
        Ok((PitchedSliceMut::of(first), PitchedSliceMut::of(second)))
    }
}

/// The methods of memory whose field `view` is a [`PitchedView`].
macro_rules! view_methods {
    ($([$($lifetime:tt)*] $memory:ident;)*) => { $(
        impl<T: $crate::Element> $memory<$($lifetime)*, T> {
            fn grid(&self) -> &$crate::memory::grid::Grid {
                self.view.grid()
            }

            /// Returns the context.
            #[must_use]
            pub fn context(&self) -> &$crate::Context {
                self.view.context()
            }

            /// Returns the device address of the first element, for calls of [`ffi`]. It is valid while the memory
            /// is borrowed. Do not free it.
            #[must_use]
            pub fn address(&self) -> ffi::CUdeviceptr {
                self.view.address()
            }
        }
    )* };
}
pub(crate) use view_methods;
view_methods! {
    ['_, '_] PitchedSlice;
    ['_, '_] PitchedSliceMut;
}

impl<T: Element> PitchedSlice<'_, '_, T> {
    /// Returns the access of an operation.
    #[inline]
    pub(crate) fn used(&self, writes: bool) -> Access<'_> {
        self.view.used::<T>(writes)
    }
}

impl<T: Element> PitchedSliceMut<'_, '_, T> {
    /// Returns the access of an operation.
    #[inline]
    pub(crate) fn used(&self, writes: bool) -> Access<'_> {
        self.view.used::<T>(writes)
    }
}

/// The methods of all memory with a `grid()`.
macro_rules! pitched_methods {
    ($([$($lifetime:tt)*] $memory:ident;)*) => { $(
        impl<T: $crate::Element> $memory<$($lifetime)*, T> {
            /// Returns the size in elements, rows and planes.
            #[must_use]
            pub fn extent(&self) -> $crate::memory::Extent {
                self.grid().extent
            }

            /// Returns the number of elements in all rows and planes.
            #[must_use]
            pub fn len(&self) -> usize {
                self.grid().extent.len()
            }

            /// Returns whether there are no elements.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Returns the distance from row to row, in bytes.
            #[must_use]
            pub fn pitch(&self) -> usize {
                self.grid().pitch
            }

            /// Returns the distance from plane to plane, in bytes.
            #[must_use]
            pub fn plane_pitch(&self) -> usize {
                self.grid().plane()
            }
        }

        impl<T: $crate::Element> std::fmt::Debug for $memory<$($lifetime)*, T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let (kind, element) = (stringify!($memory), std::any::type_name::<T>());
                let (extent, address, context) = (self.extent(), self.address(), self.context());
                write!(f, "{kind}<{element}>({extent} at {address:#x}, {context:?})")
            }
        }
    )* };
}
pub(crate) use pitched_methods;
pitched_methods! {
    ['_] PitchedBuffer;
    ['_, '_] PitchedSlice;
    ['_, '_] PitchedSliceMut;
}
