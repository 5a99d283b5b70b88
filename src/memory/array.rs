//! Arrays and mipmapped arrays: memory that textures and surfaces reach by coordinates.
#![allow(unsafe_code, reason = "calls the driver")]

use super::access::Access;
use super::array_shape::{ArrayFlags, ArrayShape, bytes_of, described, has_elements, has_levels};
use super::grid::{Extent, Grid, InArray};
use super::object::release_in;
use super::pitched::PitchedView;
use super::texel::Texel;
use super::{Allocation, refusals};
use crate::brand::Brand;
use crate::call::{answer, later, name};
use crate::context::Context;
use crate::error::{Error, RangeUnit, Result};
use crate::owned::Keep;
use crate::stack::PushedGuard;
use ffi::{CUarray, CUdeviceptr, CUmipmappedArray};
use static_assertions::assert_impl_all;
use std::cell::Cell;
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::ptr;

/// Elements in an order that only the device knows: kernels reach them by coordinates, through a
/// [`Texture`](crate::texture::Texture) or a [`Surface`](crate::texture::Surface).
///
/// [`PushedGuard::alloc_array`] creates one. Copies take it as they take a
/// [`PitchedBuffer`](crate::memory::PitchedBuffer): from and to the host, buffers and other arrays, whole or
/// [in part](Self::part). There is no fill, and no copy between contexts, and kernels do not take it itself. Layers and
/// faces of cubes count as planes.
///
/// # Examples
/// ```
/// use cuscope::texture::{ArrayFlags, ArrayShape};
/// use cuscope::{Context, ContextFlags, ContextStack, Device};
///
/// # fn main() -> cuscope::Result {
/// let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
/// let stream = gpu.stream()?;
/// let shape = ArrayShape::D2 { width: 3, height: 2 };
/// let mut image = gpu.alloc_array::<f32>(shape, ArrayFlags::empty())?;
/// gpu.on(&stream).upload(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut image)?;
/// // The second and the third column.
/// assert_eq!(gpu.on(&stream).to_vec(&image.part(1.., .., ..)?)?, [2.0, 3.0, 5.0, 6.0]);
/// # Ok(()) }
/// ```
pub struct Array<'ctx, T: Texel> {
    pub(crate) inner: Allocation,
    pub(crate) grid: Grid,
    pub(crate) shape: ArrayShape,
    pub(crate) flags: ArrayFlags,
    pub(crate) _brand: Brand<'ctx>,
    pub(crate) data: PhantomData<T>,
}
assert_impl_all!(Array<'static, f32>: Send, Sync);

/// Levels of an image, each half as large as the one before, for textures that choose the level of detail.
///
/// [`PushedGuard::alloc_mipmapped_array`] creates one. Copies take its [levels](Self::level).
pub struct MipmappedArray<'ctx, T: Texel> {
    pub(crate) inner: Allocation,
    pub(crate) levels: Vec<Grid>,
    pub(crate) shape: ArrayShape,
    pub(crate) flags: ArrayFlags,
    pub(crate) _brand: Brand<'ctx>,
    pub(crate) data: PhantomData<T>,
}
assert_impl_all!(MipmappedArray<'static, f32>: Send, Sync);

/// A part of an [`Array`], or a level of a [`MipmappedArray`] or a part of it, for reading.
pub struct ArraySlice<'b, 'ctx, T: Texel> {
    view: PitchedView<'b>,
    flags: ArrayFlags,
    _brand: Brand<'ctx>,
    data: PhantomData<T>,
}

impl<T: Texel> Clone for ArraySlice<'_, '_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Texel> Copy for ArraySlice<'_, '_, T> {}

/// A part of an [`Array`], or a level of a [`MipmappedArray`] or a part of it, for reading and writing.
pub struct ArraySliceMut<'b, 'ctx, T: Texel> {
    view: PitchedView<'b>,
    flags: ArrayFlags,
    _brand: Brand<'ctx>,
    data: PhantomData<&'b mut [T]>,
}

/// The bit of the addresses that stand for arrays. No device has an address with it: they fit in 57 bits.
const ARRAY: CUdeviceptr = 1 << 63;
/// The first bit of the number of a level, above all handles.
const LEVEL: u32 = 57;

/// Returns the address that stands for an array: no memory has it, and no other array that is alive.
fn stand_in(handle: usize) -> CUdeviceptr {
    ARRAY | handle as CUdeviceptr
}

/// The owner of an array, or of a mipmapped one.
pub(super) struct ArrayOwner {
    address: CUdeviceptr,
    context: Context,
    ends: ArrayEnd,
    /// The memory that it is a mapping of, or what lends it, which ends after it.
    of: Option<Box<Keep>>,
}

/// How an array ends.
#[derive(Clone, Copy)]
pub(super) enum ArrayEnd {
    /// It is destroyed.
    Destroyed,
    /// As a mipmapped one.
    MipmappedDestroyed,
    /// It ends with what lends it.
    WithLender,
}

impl ArrayOwner {
    /// Takes ownership of the array that the address stands for, in its own memory, in imported memory, or lent.
    pub(super) fn new(
        address: CUdeviceptr,
        context: Context,
        ends: ArrayEnd,
        of: Option<Box<Keep>>,
    ) -> Self {
        ArrayOwner { address, context, ends, of }
    }

    pub(super) fn context(&self) -> &Context {
        &self.context
    }
}

impl Drop for ArrayOwner {
    #[cold]
    #[inline]
    fn drop(&mut self) {
        let raw = handle(self.address);
        let of = Cell::new(self.of.take());
        let again = || ArrayOwner::new(self.address, self.context.clone(), self.ends, of.take());
        // SAFETY, of each: this is the only owner of the array, which was created and not destroyed. Nothing uses it
        // (`idle-outside`), and the textures and surfaces of it are gone. Its context is alive, and current during the
        // call.
        match self.ends {
            ArrayEnd::MipmappedDestroyed => {
                // SAFETY: as above.
                release_in(
                    &self.context,
                    unsafe { later!(cuMipmappedArrayDestroy(raw.cast())) },
                    again,
                );
            }
            ArrayEnd::Destroyed => {
                // SAFETY: as above.
                release_in(&self.context, unsafe { later!(cuArrayDestroy(raw.cast())) }, again);
            }
            ArrayEnd::WithLender => {}
        }
    }
}

/// Returns the handle that a stand-in holds.
#[inline]
fn handle(stand_in: CUdeviceptr) -> *mut c_void {
    ptr::with_exposed_provenance_mut((stand_in & !ARRAY) as usize)
}

/// Returns the grid of an array's elements, which lie at this stand-in.
fn grid_of<T: Texel>(raw: CUarray, base: CUdeviceptr, shape: ArrayShape) -> Grid {
    let extent = shape.extent();
    let array = Some(InArray { raw: raw.expose_provenance(), base, extent });
    Grid { extent, pitch: extent.width * size_of::<T>(), rows: extent.height, array }
}

/// # Arrays for textures and surfaces
impl<'ctx> PushedGuard<'ctx> {
    /// Allocates an array. Its contents are unspecified bytes.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a shape without elements; `CUDA_ERROR_INVALID_VALUE` for extents beyond the
    /// device's [attributes](crate::Device::attribute) for textures or surfaces of that shape, and for
    /// [`GATHER`](ArrayFlags::GATHER) with another shape than [`D2`](ArrayShape::D2); `CUDA_ERROR_OUT_OF_MEMORY`;
    /// [`NotCurrent`](Error::NotCurrent).
    #[doc(alias = "cuArrayCreate")]
    #[doc(alias = "cuArray3DCreate")]
    #[doc(alias = "cudaMallocArray")]
    pub fn alloc_array<T: Texel>(
        &self,
        shape: ArrayShape,
        flags: ArrayFlags,
    ) -> Result<Array<'ctx, T>> {
        const CALL: &str = name!(cuArray3DCreate_v2);
        has_elements(CALL, shape)?;
        self.enter(CALL)?;
        let (mut raw, asked) = (ptr::null_mut(), described::<T>(shape, flags));
        // SAFETY: writes one handle to `raw`, which is valid for it; acts on the current context, which `enter` found to
        // be the guard's. The driver checks the description.
        unsafe { answer!(cuArray3DCreate_v2(&raw mut raw, &raw const asked)) }.explain(|code| {
            refusals::array(self.device(), shape, flags, false, bytes_of::<T>(shape), code)
        })?;
        let base = stand_in(raw.expose_provenance());
        let inner = Allocation::array(base, self.context().clone(), ArrayEnd::Destroyed, None);
        let grid = grid_of::<T>(raw, base, shape);
        Ok(Array { inner, grid, shape, flags, _brand: Brand::new(), data: PhantomData })
    }

    /// Allocates a mipmapped array of so many levels. Its contents are unspecified bytes.
    ///
    /// # Errors
    /// The errors of [`alloc_array`](Self::alloc_array); [`Error::InvalidArgument`] for no levels, and for more than there
    /// are until each extent is 1.
    #[doc(alias = "cuMipmappedArrayCreate")]
    #[doc(alias = "cuMipmappedArrayGetLevel")]
    pub fn alloc_mipmapped_array<T: Texel>(
        &self,
        shape: ArrayShape,
        levels: u32,
        flags: ArrayFlags,
    ) -> Result<MipmappedArray<'ctx, T>> {
        const CALL: &str = name!(cuMipmappedArrayCreate);
        has_levels(CALL, shape, levels)?;
        self.enter(CALL)?;
        let (mut raw, asked) = (ptr::null_mut(), described::<T>(shape, flags));
        // SAFETY: as in `alloc_array`.
        unsafe { answer!(cuMipmappedArrayCreate(&raw mut raw, &raw const asked, levels)) }
            .explain(|code| {
                refusals::array(self.device(), shape, flags, true, bytes_of::<T>(shape), code)
            })?;
        // SAFETY: 1. A new handle of this context, with these levels of this shape, for these elements.
        unsafe { MipmappedArray::own(raw, self.context(), shape, levels, flags, None) }
    }
}

impl<T: Texel> MipmappedArray<'_, T> {
    /// Takes ownership of a mipmapped array, in its own memory or in imported memory.
    ///
    /// # Errors
    /// A driver error. The array is destroyed then.
    ///
    /// # Safety
    /// 1. The handle is one of this context that nothing else owns. It has these levels, and the elements, shape and flags
    ///    are those that it was created with.
    pub(crate) unsafe fn own(
        raw: CUmipmappedArray,
        context: &Context,
        shape: ArrayShape,
        levels: u32,
        flags: ArrayFlags,
        of: Option<Box<Keep>>,
    ) -> Result<Self> {
        // SAFETY: 1. of this function.
        unsafe {
            Self::with_end(raw, context, (shape, levels, flags), ArrayEnd::MipmappedDestroyed, of)
        }
    }

    /// Takes a mipmapped array that ends with `keep`.
    ///
    /// # Errors
    /// A driver error. `keep` is dropped then.
    ///
    /// # Safety
    /// 1. The handle is one of this context that lives as long as `keep`, and that no other array of this crate has. It has
    ///    at least these levels, and such elements, shape and flags.
    pub(crate) unsafe fn lent(
        raw: CUmipmappedArray,
        context: &Context,
        shape: ArrayShape,
        levels: u32,
        flags: ArrayFlags,
        keep: Box<Keep>,
    ) -> Result<Self> {
        // SAFETY: 1. of this function.
        unsafe {
            Self::with_end(raw, context, (shape, levels, flags), ArrayEnd::WithLender, Some(keep))
        }
    }

    /// Takes a mipmapped array.
    ///
    /// # Safety
    /// 1. of [`own`](Self::own), or of [`lent`](Self::lent) if it ends with what lends it.
    unsafe fn with_end(
        raw: CUmipmappedArray,
        context: &Context,
        (shape, levels, flags): (ArrayShape, u32, ArrayFlags),
        ends: ArrayEnd,
        of: Option<Box<Keep>>,
    ) -> Result<Self> {
        let base = stand_in(raw.expose_provenance());
        // It owns the handle from here on, also if a level is refused.
        let inner = Allocation::array(base, context.clone(), ends, of);
        let level = |number: u32| {
            let mut level = ptr::null_mut();
            // SAFETY: writes one handle to `level`, which is valid for it; the array is alive (1).
            unsafe { answer!(cuMipmappedArrayGetLevel(&raw mut level, raw, number)) }.check()?;
            let base = base.wrapping_add(CUdeviceptr::from(number) << LEVEL);
            Ok(grid_of::<T>(level, base, shape.level(number)))
        };
        let levels = (0..levels).map(level).collect::<Result<_>>()?;
        Ok(MipmappedArray { inner, levels, shape, flags, _brand: Brand::new(), data: PhantomData })
    }
}

impl<'ctx, T: Texel> Array<'ctx, T> {
    pub(crate) fn view(&self) -> PitchedView<'_> {
        PitchedView::of_array(&self.inner, self.grid, true)
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

    /// Returns the handle, for calls of [`ffi`]. It is valid while this value lives. Do not destroy it.
    #[must_use]
    pub fn raw(&self) -> CUarray {
        self.grid.raw_array()
    }

    /// Returns the shape.
    #[must_use]
    pub fn shape(&self) -> ArrayShape {
        self.shape
    }

    /// Returns what the array is for.
    #[must_use]
    pub fn flags(&self) -> ArrayFlags {
        self.flags
    }

    /// Returns all of it, for reading.
    #[must_use]
    pub fn as_slice(&self) -> ArraySlice<'_, 'ctx, T> {
        ArraySlice::of(self.view(), self.flags)
    }

    /// Returns all of it, for writing.
    #[must_use]
    pub fn as_slice_mut(&mut self) -> ArraySliceMut<'_, 'ctx, T> {
        ArraySliceMut::of(self.view(), self.flags)
    }

    /// Returns a rectangle or box, for reading: some columns of some rows of some planes, layers or faces.
    ///
    /// # Errors
    /// [`Error::InvalidRange`] for a range that ends past the array, or before it begins.
    pub fn part(
        &self,
        columns: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        planes: impl RangeBounds<usize>,
    ) -> Result<ArraySlice<'_, 'ctx, T>> {
        self.as_slice().part_of("Array::part", columns, rows, planes)
    }

    /// Returns a rectangle or box, for writing: some columns of some rows of some planes, layers or faces.
    ///
    /// # Errors
    /// The errors of [`part`](Self::part).
    pub fn part_mut(
        &mut self,
        columns: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        planes: impl RangeBounds<usize>,
    ) -> Result<ArraySliceMut<'_, 'ctx, T>> {
        let view = self.view().part::<T>("Array::part_mut", columns, rows, planes)?;
        Ok(ArraySliceMut::of(view, self.flags))
    }
}

impl<'ctx, T: Texel> MipmappedArray<'ctx, T> {
    fn view(&self, call: &'static str, level: u32) -> Result<PitchedView<'_>> {
        let (end, len) = (level as usize + 1, self.levels.len());
        let grid = self.levels.get(level as usize);
        let grid = grid.ok_or(Error::InvalidRange { call, end, len, unit: RangeUnit::Levels })?;
        Ok(PitchedView::of_array(&self.inner, *grid, false))
    }

    /// Returns the access of an operation that may use all levels.
    #[inline]
    pub(crate) fn used(&self, writes: bool) -> Access<'_> {
        Access::pitched::<T>(&self.inner, self.inner.address(), &self.levels[0], true, writes)
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.inner.context()
    }

    /// Returns the handle, for calls of [`ffi`]. It is valid while this value lives. Do not destroy it.
    #[must_use]
    pub fn raw(&self) -> CUmipmappedArray {
        handle(self.inner.address()).cast()
    }

    /// Returns the shape of the first level.
    #[must_use]
    pub fn shape(&self) -> ArrayShape {
        self.shape
    }

    /// Returns what the array is for.
    #[must_use]
    pub fn flags(&self) -> ArrayFlags {
        self.flags
    }

    /// Returns the number of levels.
    #[must_use]
    pub fn levels(&self) -> u32 {
        self.levels.len() as u32
    }

    /// Returns a level, for reading. 0 is the largest.
    ///
    /// # Errors
    /// [`Error::InvalidRange`] for a level that the array does not have.
    pub fn level(&self, level: u32) -> Result<ArraySlice<'_, 'ctx, T>> {
        Ok(ArraySlice::of(self.view("MipmappedArray::level", level)?, self.flags))
    }

    /// Returns a level, for writing. 0 is the largest.
    ///
    /// # Errors
    /// The errors of [`level`](Self::level).
    pub fn level_mut(&mut self, level: u32) -> Result<ArraySliceMut<'_, 'ctx, T>> {
        Ok(ArraySliceMut::of(self.view("MipmappedArray::level_mut", level)?, self.flags))
    }
}

impl<T: Texel> fmt::Debug for MipmappedArray<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (element, levels) = (std::any::type_name::<T>(), self.levels());
        write!(
            f,
            "MipmappedArray<{element}>({:?}, {levels} levels, {:?})",
            self.shape,
            self.context()
        )
    }
}

impl<'b, 'ctx, T: Texel> ArraySlice<'b, 'ctx, T> {
    fn of(view: PitchedView<'b>, flags: ArrayFlags) -> Self {
        ArraySlice { view, flags, _brand: Brand::new(), data: PhantomData }
    }

    fn part_of(
        &self,
        call: &'static str,
        columns: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        planes: impl RangeBounds<usize>,
    ) -> Result<ArraySlice<'b, 'ctx, T>> {
        Ok(ArraySlice::of(self.view.part::<T>(call, columns, rows, planes)?, self.flags))
    }

    /// Returns a part of it.
    ///
    /// # Errors
    /// [`Error::InvalidRange`] for a range that ends past the slice, or before it begins.
    pub fn part(
        &self,
        columns: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        planes: impl RangeBounds<usize>,
    ) -> Result<ArraySlice<'b, 'ctx, T>> {
        self.part_of("ArraySlice::part", columns, rows, planes)
    }
}

impl<'b, 'ctx, T: Texel> ArraySliceMut<'b, 'ctx, T> {
    /// Creates a slice from a view that nothing else uses during `'b`.
    fn of(view: PitchedView<'b>, flags: ArrayFlags) -> Self {
        ArraySliceMut { view, flags, _brand: Brand::new(), data: PhantomData }
    }

    pub(crate) fn view(&self) -> PitchedView<'_> {
        self.view
    }

    /// Returns a part of it, for writing.
    ///
    /// # Errors
    /// [`Error::InvalidRange`] for a range that ends past the slice, or before it begins.
    pub fn part_mut(
        &mut self,
        columns: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        planes: impl RangeBounds<usize>,
    ) -> Result<ArraySliceMut<'_, 'ctx, T>> {
        let view = self.view.part::<T>("ArraySliceMut::part_mut", columns, rows, planes)?;
        Ok(ArraySliceMut::of(view, self.flags))
    }
}

/// The methods of both kinds of parts.
macro_rules! parts {
    ($($slice:ident)*) => { $(
        impl<T: Texel> $slice<'_, '_, T> {
            fn grid(&self) -> &Grid {
                self.view.grid()
            }

            /// Returns the context.
            #[must_use]
            pub fn context(&self) -> &Context {
                self.view.context()
            }

            /// Returns the access of an operation.
            #[inline]
            pub(crate) fn used(&self, writes: bool) -> Access<'_> {
                self.view.used::<T>(writes)
            }

            /// Returns the array that it is all of, with its flags; `None` for a part of one.
            pub(crate) fn whole_array(&self) -> Option<(CUarray, ArrayFlags)> {
                let grid = self.grid();
                let whole = grid.array.is_some_and(|array| array.extent == grid.extent);
                whole.then(|| (grid.raw_array(), self.flags))
            }
        }
    )* };
}
parts!(ArraySlice ArraySliceMut);

/// The methods of everything with a grid.
macro_rules! sizes {
    ($([$($lifetime:tt)*] $memory:ident;)*) => { $(
        impl<T: Texel> $memory<$($lifetime)*, T> {
            /// Returns the size in elements, rows and planes. Layers and faces are planes.
            #[must_use]
            pub fn extent(&self) -> Extent {
                self.grid().extent
            }

            /// Returns the number of elements.
            #[must_use]
            pub fn len(&self) -> usize {
                self.grid().extent.len()
            }

            /// Returns whether there are no elements.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }
        }

        impl<T: Texel> fmt::Debug for $memory<$($lifetime)*, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let (kind, element) = (stringify!($memory), std::any::type_name::<T>());
                write!(f, "{kind}<{element}>({}, {:?})", self.extent(), self.context())
            }
        }
    )* };
}
sizes! {
    ['_] Array;
    ['_, '_] ArraySlice;
    ['_, '_] ArraySliceMut;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_memory_has_the_address_that_stands_for_an_array() {
        for number in [1_usize, 0x7f00_1234_5670] {
            let address = stand_in(number);
            assert!(address > 1 << 57, "{address:#x}");
            assert_eq!(handle(address).addr(), number);
        }
    }
}
