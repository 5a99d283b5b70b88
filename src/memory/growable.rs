//! Buffers that grow in place.

use super::view::{View, part};
use super::{Allocation, DeviceBuffer, DeviceSliceMut, Element};
use crate::brand::Brand;
use crate::context::Context;
use crate::device::Device;
use crate::error::{Error, RangeUnit, Result};
use crate::memory::access::Access;
use crate::memory::size_for;
use crate::stack::PushedGuard;
use crate::virtual_memory::{MappedAccess, PhysicalMemory, Reservation};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, RangeBounds};

/// A buffer in device memory that grows and shrinks without a copy, at one address.
///
/// [`PushedGuard::alloc_growable`] reserves addresses for all elements that it will ever have, which cost no memory.
/// [`grow`](Self::grow) adds physical memory, and [`truncate`](Self::truncate) gives it back. Operations, kernels, scopes
/// and graphs take the buffer as they take a [`DeviceBuffer`], to which it dereferences.
///
/// Nothing is in flight on the buffer outside an operation that borrows it (invariant
/// [`idle-outside`](crate::soundness#idle-outside)), and growing or shrinking borrows it exclusively. A
/// [`Graph`](crate::Graph) that was recorded with the buffer goes on to use the elements that it had then.
///
/// # Examples
/// ```
/// use cuscope::{Context, ContextStack, Device};
///
/// # fn main() -> cuscope::Result {
/// let context = Context::primary(Device::get(0)?)?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
/// let stream = gpu.stream()?;
/// let mut tokens = gpu.alloc_growable::<u32>(1 << 28)?; // a GiB of addresses
/// tokens.grow(3)?;
/// gpu.on(&stream).upload(&[1, 2, 3], &mut tokens)?;
/// let address = tokens.address();
/// tokens.grow(1 << 20)?; // more memory behind, and the same elements before
/// assert_eq!(tokens.address(), address);
/// gpu.on(&stream).fill(&mut tokens.slice_mut(3..)?, 0)?;
/// assert_eq!(gpu.on(&stream).to_vec(&tokens.slice(..4)?)?, [1, 2, 3, 0]);
/// # Ok(()) }
/// ```
pub struct GrowableBuffer<'ctx, T: Element> {
    pub(crate) buffer: DeviceBuffer<'ctx, T>,
}

/// The addresses of a growable buffer, and its memory.
pub(super) struct Grown {
    addresses: Reservation,
    /// The number that the sizes of physical memory are multiples of.
    granularity: usize,
    /// The bytes from the start to which its devices have access.
    usable: usize,
    /// The access of devices. The first one is the context's.
    devices: Vec<(Device, MappedAccess)>,
}

impl Grown {
    /// Makes this many bytes usable.
    #[inline]
    fn back(&mut self, bytes: usize) -> Result {
        if bytes <= self.usable {
            return Ok(());
        }
        let mapped = self.end();
        if bytes > mapped {
            // No more than is reserved, which is a multiple too.
            let more = (bytes - mapped).next_multiple_of(self.granularity);
            let memory = PhysicalMemory::create(self.devices[0].0, more)?;
            self.addresses.map(mapped, memory)?;
        }
        let (start, len) = (self.usable, self.end() - self.usable);
        let allowed = self.addresses.set_accesses(start, len, &self.devices);
        if let Err(error) = allowed {
            // Memory that stays mapped gets its access with the next growth.
            let _stays = self.unmap_from(mapped);
            return Err(error);
        }
        self.usable += len;
        Ok(())
    }

    /// Unmaps the memory that begins at this offset or behind it. Nothing is in flight on it: the manual does not say whether
    /// `cuMemUnmap` waits.
    #[inline]
    fn unmap_from(&mut self, bytes: usize) -> Result {
        while let Some((offset, _)) = self.addresses.last().filter(|&(offset, _)| offset >= bytes) {
            self.usable = self.usable.min(offset);
            drop(self.addresses.unmap(offset)?);
        }
        Ok(())
    }

    /// Returns the number of bytes that have memory.
    #[inline]
    fn end(&self) -> usize {
        self.addresses.last().map_or(0, |(_, end)| end)
    }
}

/// # Memory
impl<'ctx> PushedGuard<'ctx> {
    /// Reserves addresses for a buffer of at most `capacity` elements. It has none yet: [`GrowableBuffer::grow`].
    ///
    /// Addresses cost no memory, so choose a capacity that suffices for all time.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for a capacity of 0 bytes, or of more than an address space holds;
    /// `CUDA_ERROR_OUT_OF_MEMORY` if there are not as many addresses; [`NotCurrent`](Error::NotCurrent); a driver error
    /// for a device without virtual memory.
    #[doc(alias = "cuMemAddressReserve")]
    pub fn alloc_growable<T: Element>(&self, capacity: usize) -> Result<GrowableBuffer<'ctx, T>> {
        const CALL: &str = "PushedGuard::alloc_growable";
        let bytes = size_for::<T>(CALL, capacity)?;
        self.enter(CALL)?;
        let granularity = PhysicalMemory::granularity(self.device())?;
        let whole = bytes.checked_next_multiple_of(granularity).filter(|&bytes| bytes > 0);
        let Some(whole) = whole else {
            let reason = format!(
                "with a capacity of {capacity} elements, {bytes} bytes, the buffer could never have an element, or more \
                 than an address space: choose another capacity"
            );
            return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
        };
        let addresses = Reservation::new(whole)?;
        let (address, context) = (addresses.address(), self.context().clone());
        let devices = vec![(self.device(), MappedAccess::ReadWrite)];
        let inner = Allocation::grown(
            address,
            context,
            Grown { addresses, granularity, usable: 0, devices },
        );
        let (_brand, data) = (Brand::new(), PhantomData);
        Ok(GrowableBuffer { buffer: DeviceBuffer { inner, len: 0, _brand, data } })
    }
}

impl<'ctx, T: Element> GrowableBuffer<'ctx, T> {
    fn grown(&mut self) -> &mut Grown {
        self.buffer.inner.grown_mut()
    }

    /// Returns the number of elements that there are addresses for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        // Not 0: otherwise there are no addresses.
        self.buffer.inner.grown_ref().addresses.size_bytes() / size_of::<T>()
    }

    /// Returns the number of bytes of physical memory.
    #[must_use]
    pub fn mapped_bytes(&self) -> usize {
        self.buffer.inner.grown_ref().addresses.mapped_bytes()
    }

    /// Grows the buffer to `len` elements. The new ones are unspecified bytes; the others stay where they are. If it has
    /// as many, nothing happens.
    ///
    /// One piece of physical memory is added, rounded up to the
    /// [granularity](PhysicalMemory::granularity). Memory that is left from an earlier piece is used first.
    ///
    /// # Errors
    /// [`InvalidRange`](Error::InvalidRange) for more than the [`capacity`](Self::capacity); `CUDA_ERROR_OUT_OF_MEMORY`.
    /// The buffer is then as it was.
    #[doc(alias = "cuMemCreate")]
    #[doc(alias = "cuMemMap")]
    #[doc(alias = "cuMemSetAccess")]
    pub fn grow(&mut self, len: usize) -> Result {
        let capacity = self.capacity();
        if len > capacity {
            return Err(Error::InvalidRange {
                call: "GrowableBuffer::grow",
                end: len,
                len: capacity,
                unit: RangeUnit::Capacity,
            });
        }
        if len > self.len() {
            self.grown().back(len * size_of::<T>())?;
            self.buffer.len = len;
        }
        Ok(())
    }

    /// Shortens the buffer to `len` elements, and gives the physical memory back that holds none of them. If it has no
    /// more, only memory is given back.
    ///
    /// Memory comes back in the pieces that [`grow`](Self::grow) added. As long as a [`Graph`](crate::Graph) uses the
    /// buffer, all memory stays, because a replay may use it. Call this again afterwards.
    ///
    /// # Errors
    /// A driver error. The buffer has `len` elements, and more memory than it needs.
    #[doc(alias = "cuMemUnmap")]
    #[doc(alias = "cuMemRelease")]
    pub fn truncate(&mut self, len: usize) -> Result {
        self.buffer.len = self.len().min(len);
        if self.buffer.inner.is_shared() {
            return Ok(());
        }
        let bytes = self.size_bytes();
        self.grown().unmap_from(bytes)
    }

    /// Sets the access of another device to the buffer, also to elements that it gets later. The context's own device
    /// always reads and writes.
    ///
    /// Kernels of a device with access take the buffer by its [address](DeviceBuffer::address). Copies such as
    /// [`SyncStream::copy_from_peer`](crate::SyncStream::copy_from_peer) work without access.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for the context's own device, and as long as a
    /// [`Graph`](crate::Graph) uses the buffer: its work may run, and the driver waits for none
    /// ([F407](crate::driver_facts#F407)); a driver error for a device that
    /// [cannot access](Device::can_access_peer) the memory.
    #[doc(alias = "cuMemSetAccess")]
    pub fn set_access(&mut self, device: Device, access: MappedAccess) -> Result {
        const CALL: &str = "GrowableBuffer::set_access";
        if self.buffer.inner.is_shared() {
            let reason = "a graph uses the buffer, and may run meanwhile: drop the graph first";
            return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
        }
        let grown = self.grown();
        if device == grown.devices[0].0 {
            let reason =
                "the buffer belongs to this device, which always has access: name another device";
            return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
        }
        if grown.usable > 0 {
            grown.addresses.set_accesses(0, grown.usable, &[(device, access)])?;
        }
        match grown.devices.iter_mut().find(|(other, _)| *other == device) {
            Some(one) => one.1 = access,
            None => grown.devices.push((device, access)),
        }
        Ok(())
    }

    /// Returns the whole buffer, for writing. Split it or take parts of it as of a [`DeviceBuffer`].
    pub fn as_slice_mut(&mut self) -> DeviceSliceMut<'_, 'ctx, T> {
        DeviceSliceMut::of(self.view())
    }

    /// Returns a part of the buffer, for writing.
    ///
    /// # Errors
    /// [`InvalidRange`](Error::InvalidRange) for a range that ends past the buffer, or before it begins.
    pub fn slice_mut(
        &mut self,
        range: impl RangeBounds<usize>,
    ) -> Result<DeviceSliceMut<'_, 'ctx, T>> {
        let part = part("GrowableBuffer::slice_mut", range, self.len())?;
        Ok(DeviceSliceMut::of(self.view().part::<T>(part)))
    }

    /// Returns a view of the whole buffer.
    #[inline]
    pub(crate) fn view(&self) -> View<'_> {
        self.buffer.view()
    }

    /// Returns the access of an operation.
    #[inline]
    pub(crate) fn used(&self, writes: bool) -> Access<'_> {
        self.buffer.used(writes)
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.buffer.context()
    }
}

/// The buffer as it is now, for reading. It is not lent for writing, so that nobody exchanges it for another one.
impl<'ctx, T: Element> Deref for GrowableBuffer<'ctx, T> {
    type Target = DeviceBuffer<'ctx, T>;
    fn deref(&self) -> &DeviceBuffer<'ctx, T> {
        &self.buffer
    }
}

impl<T: Element> fmt::Debug for GrowableBuffer<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (element, len) = (std::any::type_name::<T>(), self.len());
        let (capacity, address) = (self.capacity(), self.address());
        write!(
            f,
            "GrowableBuffer<{element}>({len} of {capacity} at {address:#x}, {:?})",
            self.context()
        )
    }
}
