//! Memory that belongs to a stream.

use crate::args::sealed::Operand;
use crate::args::{KernelArg, operands};
use crate::context::Context;
use crate::error::Result;
use crate::memory::access::Access;
use crate::memory::view::sealed::Viewed;
use crate::memory::{
    DeviceBuffer, DeviceMemory, DeviceMemoryMut, DeviceSlice, DeviceSliceMut, Element, Extent,
    InOrder, PitchedBuffer, PitchedSlice, PitchedSliceMut,
};
use ffi::CUdeviceptr;
use static_assertions::assert_impl_all;
use std::fmt;
use std::ops::RangeBounds;

/// Memory that belongs to an [`OrderedStream`](crate::OrderedStream): a buffer, or a part of one.
///
/// Only operations of its stream use it. They return before the device is done, and a borrow need last only for the
/// call, because the stream runs later operations after earlier ones. So the memory may be moved, dropped and leaked
/// while work on it is in flight. A drop enqueues the free behind all uses, and waits for nothing (invariant
/// [`ordered-apart`](crate::soundness#ordered-apart)).
///
/// The memory owns the stream, and with it the context. To use it in another stream,
/// [hand it over](crate::OrderedStream::hand_over) or [share](Self::share) it.
///
/// `M` is the memory as blocking operations know it: [`OrderedBuffer`] and [`OrderedPitchedBuffer`] are the buffers.
/// Pass `&memory` to operations that read it and `&mut memory` to operations that write it. A kernel also takes a part
/// that only reads by value.
///
/// # Examples
/// ```
/// # use cuscope::{Context, ContextStack, Device};
/// # fn main() -> cuscope::Result {
/// # let context = Context::primary(Device::get(0)?)?;
/// # let mut stack = ContextStack::current_thread()?;
/// # let gpu = stack.push(&context)?;
/// let ordered = gpu.ordered_stream()?;
/// let mut x = ordered.alloc::<u32>(8)?;
/// ordered.fill(&mut x, 1)?; // returns at once
/// let (mut low, mut high) = x.split_at_mut(4)?;
/// ordered.copy(&low, &mut high)?;
/// ordered.fill(&mut low, 2)?;
/// assert_eq!(ordered.to_vec(&x)?, [2, 2, 2, 2, 1, 1, 1, 1]); // waits
/// drop(x); // returns at once
/// # Ok(()) }
/// ```
pub struct Ordered<M>(pub(crate) M);
assert_impl_all!(Ordered<DeviceBuffer<'static, f32>>: Send, Sync);

/// A buffer of elements that belongs to a stream.
#[doc(alias = "cudaFreeAsync")]
#[doc(alias = "CudaSlice")]
pub type OrderedBuffer<T> = Ordered<DeviceBuffer<'static, T>>;

/// A buffer of rows and planes that belongs to a stream.
pub type OrderedPitchedBuffer<T> = Ordered<PitchedBuffer<'static, T>>;

macro_rules! copied {
    ($($part:ident)*) => { $(
        impl<T: Element> Clone for Ordered<$part<'_, '_, T>> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T: Element> Copy for Ordered<$part<'_, '_, T>> {}
    )* };
}
copied!(DeviceSlice PitchedSlice);

impl<M: Viewed> Ordered<M> {
    /// Returns the access of an operation of the stream.
    #[inline]
    pub(super) fn used(&self, writes: bool) -> Access<'_> {
        self.0.access(writes).in_order(None)
    }

    /// Returns the number of elements.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.used(false).len
    }

    /// Returns whether there are no elements.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the size of the elements in bytes.
    #[must_use]
    #[inline]
    pub fn size_bytes(&self) -> usize {
        self.used(false).bytes()
    }

    /// Returns the address on the device, for calls of [`ffi`]. It is valid while this value lives, for work in its
    /// stream. Do not free it.
    #[must_use]
    #[inline]
    pub fn address(&self) -> CUdeviceptr {
        self.used(false).address
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.context_of()
    }
}

impl<M: Viewed> fmt::Debug for Ordered<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<M::Element>();
        let (len, address) = (self.len(), self.address());
        write!(f, "Ordered<{element}>({len} at {address:#x}, {:?})", self.context())
    }
}

/// # Parts
impl<T: Element> OrderedBuffer<T> {
    /// Returns a part to read: [`DeviceBuffer::slice`].
    ///
    /// # Errors
    /// [`InvalidRange`](crate::Error::InvalidRange).
    pub fn slice(
        &self,
        range: impl RangeBounds<usize>,
    ) -> Result<Ordered<DeviceSlice<'_, 'static, T>>> {
        self.0.slice(range).map(Ordered)
    }

    /// Returns a part to write: [`DeviceBuffer::slice_mut`].
    ///
    /// # Errors
    /// [`InvalidRange`](crate::Error::InvalidRange).
    pub fn slice_mut(
        &mut self,
        range: impl RangeBounds<usize>,
    ) -> Result<Ordered<DeviceSliceMut<'_, 'static, T>>> {
        self.0.slice_mut(range).map(Ordered)
    }

    /// Returns two parts to write: [`DeviceBuffer::split_at_mut`].
    ///
    /// # Errors
    /// [`InvalidRange`](crate::Error::InvalidRange) if `middle` is past the end.
    #[allow(clippy::type_complexity, reason = "a pair of parts")]
    pub fn split_at_mut(
        &mut self,
        middle: usize,
    ) -> Result<(Ordered<DeviceSliceMut<'_, 'static, T>>, Ordered<DeviceSliceMut<'_, 'static, T>>)>
    {
        self.0.split_at_mut(middle).map(|(first, second)| (Ordered(first), Ordered(second)))
    }

    /// Returns parts of `len` elements to read: [`DeviceBuffer::chunks`].
    ///
    /// # Errors
    /// [`InvalidRange`](crate::Error::InvalidRange) for parts of 0 elements.
    pub fn chunks(
        &self,
        len: usize,
    ) -> Result<impl ExactSizeIterator<Item = Ordered<DeviceSlice<'_, 'static, T>>>> {
        Ok(self.0.chunks(len)?.map(Ordered))
    }

    /// Returns parts of `len` elements to write: [`DeviceBuffer::chunks_mut`].
    ///
    /// # Errors
    /// [`InvalidRange`](crate::Error::InvalidRange) for parts of 0 elements.
    pub fn chunks_mut(
        &mut self,
        len: usize,
    ) -> Result<impl ExactSizeIterator<Item = Ordered<DeviceSliceMut<'_, 'static, T>>>> {
        Ok(self.0.chunks_mut(len)?.map(Ordered))
    }
}

/// # Elements of another type
impl<T: Element> OrderedBuffer<T> {
    /// Returns the memory as elements of another type, to read: [`DeviceBuffer::cast`].
    ///
    /// # Errors
    /// The errors of [`DeviceBuffer::cast`].
    pub fn cast<U: Element>(&self) -> Result<Ordered<DeviceSlice<'_, 'static, U>>> {
        self.0.cast().map(Ordered)
    }

    /// Returns the memory as elements of another type, to write: [`DeviceBuffer::cast_mut`].
    ///
    /// # Errors
    /// The errors of [`DeviceBuffer::cast`].
    pub fn cast_mut<U: Element>(&mut self) -> Result<Ordered<DeviceSliceMut<'_, 'static, U>>> {
        self.0.cast_mut().map(Ordered)
    }
}

impl<'b, T: Element> Ordered<DeviceSlice<'b, 'static, T>> {
    /// Returns the memory as elements of another type: [`DeviceSlice::cast`].
    ///
    /// # Errors
    /// The errors of [`DeviceBuffer::cast`].
    pub fn cast<U: Element>(&self) -> Result<Ordered<DeviceSlice<'b, 'static, U>>> {
        self.0.cast().map(Ordered)
    }

    /// Returns a part to read: [`DeviceSlice::slice`].
    ///
    /// # Errors
    /// [`InvalidRange`](crate::Error::InvalidRange).
    pub fn slice(
        &self,
        range: impl RangeBounds<usize>,
    ) -> Result<Ordered<DeviceSlice<'b, 'static, T>>> {
        self.0.slice(range).map(Ordered)
    }
}

impl<T: Element> Ordered<DeviceSliceMut<'_, 'static, T>> {
    /// Returns the memory as elements of another type, to read: [`DeviceSliceMut::cast`].
    ///
    /// # Errors
    /// The errors of [`DeviceBuffer::cast`].
    pub fn cast<U: Element>(&self) -> Result<Ordered<DeviceSlice<'_, 'static, U>>> {
        self.0.cast().map(Ordered)
    }

    /// Returns the memory as elements of another type, to write: [`DeviceSliceMut::cast_mut`].
    ///
    /// # Errors
    /// The errors of [`DeviceBuffer::cast`].
    pub fn cast_mut<U: Element>(&mut self) -> Result<Ordered<DeviceSliceMut<'_, 'static, U>>> {
        self.0.cast_mut().map(Ordered)
    }

    /// Returns a part to read: [`DeviceSliceMut::slice`].
    ///
    /// # Errors
    /// [`InvalidRange`](crate::Error::InvalidRange).
    pub fn slice(
        &self,
        range: impl RangeBounds<usize>,
    ) -> Result<Ordered<DeviceSlice<'_, 'static, T>>> {
        self.0.slice(range).map(Ordered)
    }

    /// Returns a part to write: [`DeviceSliceMut::slice_mut`].
    ///
    /// # Errors
    /// [`InvalidRange`](crate::Error::InvalidRange).
    pub fn slice_mut(
        &mut self,
        range: impl RangeBounds<usize>,
    ) -> Result<Ordered<DeviceSliceMut<'_, 'static, T>>> {
        self.0.slice_mut(range).map(Ordered)
    }

    /// Returns two parts to write: [`DeviceSliceMut::split_at_mut`].
    ///
    /// # Errors
    /// [`InvalidRange`](crate::Error::InvalidRange) if `middle` is past the end.
    #[allow(clippy::type_complexity, reason = "a pair of parts")]
    pub fn split_at_mut(
        &mut self,
        middle: usize,
    ) -> Result<(Ordered<DeviceSliceMut<'_, 'static, T>>, Ordered<DeviceSliceMut<'_, 'static, T>>)>
    {
        self.0.split_at_mut(middle).map(|(first, second)| (Ordered(first), Ordered(second)))
    }
}

/// # Rows and planes
impl<T: Element> OrderedPitchedBuffer<T> {
    /// Returns the number of columns, rows and planes.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.0.extent()
    }

    /// Returns the number of bytes from row to row.
    #[must_use]
    pub fn pitch(&self) -> usize {
        self.0.pitch()
    }

    /// Returns a box of elements to read: [`PitchedBuffer::part`].
    ///
    /// # Errors
    /// [`InvalidRange`](crate::Error::InvalidRange).
    pub fn part(
        &self,
        columns: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        planes: impl RangeBounds<usize>,
    ) -> Result<Ordered<PitchedSlice<'_, 'static, T>>> {
        self.0.part(columns, rows, planes).map(Ordered)
    }

    /// Returns a box of elements to write: [`PitchedBuffer::part_mut`].
    ///
    /// # Errors
    /// [`InvalidRange`](crate::Error::InvalidRange).
    pub fn part_mut(
        &mut self,
        columns: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        planes: impl RangeBounds<usize>,
    ) -> Result<Ordered<PitchedSliceMut<'_, 'static, T>>> {
        self.0.part_mut(columns, rows, planes).map(Ordered)
    }
}

/// Memory that operations of an [`OrderedStream`](crate::OrderedStream) read: [`Ordered`] memory of the stream, or
/// [`SharedBuffer`](crate::SharedBuffer) memory. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not memory with elements of type `{T}` that an ordered stream can read",
    label = "expected an `OrderedBuffer<{T}>`, a part of one, or a `SharedBuffer<{T}>`",
    note = "`ordered.adopt(buffer)` takes a `DeviceBuffer` over; `upload` and `download` copy host memory"
)]
pub trait OrderedSource<T: Element>: sealed::Reads {}

#[diagnostic::do_not_recommend]
impl<T: Element, M: DeviceMemory<'static, T>> OrderedSource<T> for Ordered<M> {}

pub(crate) mod sealed {
    use super::*;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `OrderedSource`, which is sealed",
        label = "only `Ordered` and `SharedBuffer` do"
    )]
    pub trait Reads {
        /// Returns the access of an operation that reads it.
        fn read(&self) -> Access<'_>;
    }

    #[diagnostic::do_not_recommend]
    impl<M: Viewed> Reads for Ordered<M> {
        #[inline]
        fn read(&self) -> Access<'_> {
            self.used(false)
        }
    }
}

impl<M: Viewed + DeviceMemory<'static, <M as Viewed>::Element>> KernelArg<'static, InOrder>
    for &Ordered<M>
{
}
impl<M: Viewed + DeviceMemoryMut<'static, <M as Viewed>::Element>> KernelArg<'static, InOrder>
    for &mut Ordered<M>
{
}

impl<T: Element> KernelArg<'static, InOrder> for Ordered<DeviceSlice<'_, 'static, T>> {}
impl<T: Element> KernelArg<'static, InOrder> for Ordered<PitchedSlice<'_, 'static, T>> {}

operands! {
    [T: Element] Ordered<DeviceSlice<'_, '_, T>> as T, false, true;
    [T: Element] Ordered<PitchedSlice<'_, '_, T>> as T, false, true;
    [M: Viewed] &Ordered<M> as M::Element, false, true;
    [M: Viewed] &mut Ordered<M> as M::Element, true, true;
}
