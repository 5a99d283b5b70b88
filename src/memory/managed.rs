//! Managed memory: device memory that the host uses too.
#![allow(unsafe_code, reason = "calls the driver, and lends its memory to the host")]

use super::buffer::{DeviceBuffer, size_for};
use super::pointer::{PointerKind, pointer_info};
use super::refusals::{self, allocated};
use super::{Allocation, DeviceMemory, Element, Location};
use crate::brand::Brand;
use crate::call::{answer, name, same_context};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::access::Access;
use crate::registry::host_sees;
use crate::stack::PushedGuard;
use ffi::{
    CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
    CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID,
    CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE,
    CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE,
    CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, CUmem_advise, CUmemAttach_flags, CUmemLocationType,
};
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Advice on how managed memory is used: [`PushedGuard::advise`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[doc(alias = "CUmem_advise")]
pub enum Advice {
    /// Whether the memory is mostly read. Each device that reads it gets a copy of its own, until somebody writes.
    ReadMostly(bool),
    /// Where the memory should stay. `None` takes the advice back.
    PreferredLocation(Option<Location>),
    /// A device, or the host, that uses the memory: it stays mapped there wherever it moves.
    AccessedBy(Location),
    /// Takes the advice of [`AccessedBy`](Advice::AccessedBy) back.
    NotAccessedBy(Location),
}

impl Advice {
    #[inline]
    fn raw(self) -> (CUmem_advise, Location) {
        match self {
            Advice::ReadMostly(true) => (ffi::CU_MEM_ADVISE_SET_READ_MOSTLY, Location::Host),
            Advice::ReadMostly(false) => (ffi::CU_MEM_ADVISE_UNSET_READ_MOSTLY, Location::Host),
            Advice::PreferredLocation(Some(at)) => (ffi::CU_MEM_ADVISE_SET_PREFERRED_LOCATION, at),
            Advice::PreferredLocation(None) => {
                (ffi::CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, Location::Host)
            }
            Advice::AccessedBy(user) => (ffi::CU_MEM_ADVISE_SET_ACCESSED_BY, user),
            Advice::NotAccessedBy(user) => (ffi::CU_MEM_ADVISE_UNSET_ACCESSED_BY, user),
        }
    }
}

/// The advice that managed memory has, and where it was last moved: [`PushedGuard::range_info`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RangeInfo {
    /// Whether all of the memory is [mostly read](Advice::ReadMostly).
    pub read_mostly: bool,
    /// Where all of the memory should stay.
    pub preferred_location: Option<Location>,
    /// The users that all of the memory is [mapped for](Advice::AccessedBy).
    pub accessed_by: Vec<Location>,
    /// The place to which all of the memory was last moved with `prefetch`. It need not be there any more.
    pub last_prefetch: Option<Location>,
}

/// The streams that may use managed memory: [`SyncStream::attach`](crate::SyncStream::attach).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[doc(alias = "CUmemAttach_flags")]
pub enum Attachment {
    /// All streams.
    Global,
    /// The host, and streams of devices that use managed memory while the host does.
    Host,
    /// One stream alone.
    Single,
}

impl Attachment {
    #[inline]
    pub(crate) fn raw(self) -> u32 {
        let flag = match self {
            Attachment::Global => CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL,
            Attachment::Host => CUmemAttach_flags::CU_MEM_ATTACH_HOST,
            Attachment::Single => CUmemAttach_flags::CU_MEM_ATTACH_SINGLE,
        };
        flag.bits()
    }
}

const NO_HOST: &str = "the host cannot use this memory: allocate it with `PushedGuard::managed`, or copy it with `download`";
const NOT_BOTH: &str = "the host may not use managed memory while kernels of this device run: use page-locked memory \
                        (`PushedGuard::pinned`), which kernels can use too";
pub(super) const NOT_ALIGNED: &str =
    "the address is no multiple of the element's alignment: allocate elements of a smaller one";

/// Returns whether the host may use managed memory while kernels of the device run.
#[inline]
fn uses_both(device: Device) -> Result<bool> {
    Ok(device.attribute(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)? != 0)
}

/// # Managed memory
impl<'ctx> PushedGuard<'ctx> {
    /// Allocates a buffer of `len` elements in managed memory, which moves to whoever uses it. Its contents are
    /// unspecified bytes.
    ///
    /// It is a buffer as any other: streams, scopes, ordered streams and graphs take it. Between operations,
    /// [`host_slice`](Self::host_slice) and [`host_slice_mut`](Self::host_slice_mut) lend it to the host, without a
    /// copy. `prefetch` of the streams moves it ahead of its use.
    ///
    /// The device must let the host use managed memory while its kernels run
    /// ([F420](crate::driver_facts#F420)). Devices under Windows, and in the small computers of the Jetson series, do
    /// not. Devices that do not cannot use the memory.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the device does not, and for a buffer of more than an address space holds;
    /// `CUDA_ERROR_OUT_OF_MEMORY`; [`NotCurrent`](Error::NotCurrent).
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device};
    /// use cuscope::memory::Location;
    ///
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// # let stream = gpu.stream()?;
    /// let mut x = gpu.managed::<f32>(1024)?;
    /// gpu.host_slice_mut(&mut x)?.fill(1.0); // no copy
    /// gpu.on(&stream).prefetch(&x, Location::Device(gpu.device()))?;
    /// gpu.on(&stream).fill(&mut x.slice_mut(..512)?, 2.0)?;
    /// assert_eq!(gpu.host_slice(&x)?[510..514], [2.0, 2.0, 1.0, 1.0]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuMemAllocManaged")]
    #[doc(alias = "cudaMallocManaged")]
    #[doc(alias = "alloc_unified")]
    pub fn managed<T: Element>(&self, len: usize) -> Result<DeviceBuffer<'ctx, T>> {
        const CALL: &str = name!(cuMemAllocManaged);
        let bytes = size_for::<T>(CALL, len)?;
        self.enter(CALL)?;
        if !uses_both(self.device())? {
            return Err(Error::InvalidArgument { call: CALL, reason: NOT_BOTH.into() });
        }
        if bytes == 0 {
            return Ok(DeviceBuffer::empty(self.context(), len));
        }
        // Attached to the host: devices that may not use the memory while the host does are then refused it.
        let (mut address, flags) = (0, Attachment::Host.raw());
        let into = &raw mut address;
        // SAFETY: writes one address to `address`, which is valid for it; acts on the current context, which `enter`
        // found to be the guard's.
        let make = move || unsafe { answer!(cuMemAllocManaged(into, bytes, flags)) };
        allocated(|| self.device(), bytes, make)?;
        let inner = Allocation::plain(address, self.context().clone());
        Ok(DeviceBuffer { inner, len, _brand: Brand::new(), data: PhantomData })
    }

    /// Lends a buffer to the host, if the host can use its memory: managed memory, and page-locked host memory. Nothing
    /// is copied, and nothing is in flight on the buffer (invariant
    /// [`host-when-idle`](crate::soundness#host-when-idle)).
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for other memory; [`OtherContext`](Error::OtherContext);
    /// [`NotCurrent`](Error::NotCurrent); a sticky error ([F60](crate::driver_facts#F60)): work may then still be in
    /// flight.
    #[doc(alias = "cuMemAllocManaged")]
    pub fn host_slice<'b, T: Element>(&self, buffer: &'b DeviceBuffer<'ctx, T>) -> Result<&'b [T]> {
        let start = self.host_address(buffer)?;
        // SAFETY: the driver says that the host can use `len` elements there, and they are aligned. Any bytes are values
        // (`Element: AnyBitPattern`). Nothing writes them while the buffer is borrowed (`host-when-idle`).
        Ok(unsafe { std::slice::from_raw_parts(start.as_ptr(), buffer.len()) })
    }

    /// Lends a buffer to the host, to read and write. See [`host_slice`](Self::host_slice).
    ///
    /// # Errors
    /// The errors of [`host_slice`](Self::host_slice).
    #[doc(alias = "cuMemAllocManaged")]
    pub fn host_slice_mut<'b, T: Element>(
        &self,
        buffer: &'b mut DeviceBuffer<'ctx, T>,
    ) -> Result<&'b mut [T]> {
        let start = self.host_address(buffer)?;
        // SAFETY: as in `host_slice`, and nothing else uses them while the buffer is borrowed exclusively.
        Ok(unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), buffer.len()) })
    }

    /// Returns the address at which the host uses a buffer.
    fn host_address<T: Element>(&self, buffer: &DeviceBuffer<'ctx, T>) -> Result<NonNull<T>> {
        const CALL: &str = name!(cuMemGetAddressRange_v2);
        let refused =
            |reason: &'static str| Error::InvalidArgument { call: CALL, reason: reason.into() };
        self.enter(CALL)?;
        same_context(CALL, buffer.context().key() == self.context().key())?;
        if buffer.size_bytes() == 0 {
            return Ok(NonNull::dangling());
        }
        let (mut base, mut size) = (0, 0);
        // Refused once a fault was reported (F421): an operation may then have returned before its work was over.
        // SAFETY: writes an address and a size to places that are valid for them; the buffer is alive.
        unsafe { answer!(cuMemGetAddressRange_v2(&raw mut base, &raw mut size, buffer.address())) }
            .check()?;
        let info = pointer_info(buffer.address())?;
        let info = info.filter(|info| info.contains(buffer.address(), buffer.size_bytes()));
        let info = info.ok_or_else(|| refused(NO_HOST))?;
        if info.kind == PointerKind::Managed && !uses_both(self.device())? {
            return Err(refused(NOT_BOTH));
        }
        let at = info.host_address.map(std::ptr::with_exposed_provenance_mut::<T>);
        let at = at.and_then(NonNull::new).ok_or_else(|| refused(NO_HOST))?;
        if !at.is_aligned() {
            return Err(refused(NOT_ALIGNED));
        }
        host_sees(at.addr().get(), buffer.size_bytes());
        Ok(at)
    }

    /// Advises the driver how managed memory is used. Advice applies to whole pages, and changes nothing but speed.
    ///
    /// Needs a driver of CUDA 12.2 or later.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for memory that is not managed, and for a [`Location`] that the advice does not take:
    /// a NUMA node among [`AccessedBy`](Advice::AccessedBy) ([F423](crate::driver_facts#F423));
    /// [`OtherContext`](Error::OtherContext); [`NotCurrent`](Error::NotCurrent).
    #[doc(alias = "cuMemAdvise")]
    #[doc(alias = "cudaMemAdvise")]
    pub fn advise<T: Element>(
        &self,
        memory: &impl DeviceMemory<'ctx, T>,
        advice: Advice,
    ) -> Result {
        let Some((address, bytes)) = self.range_of(name!(cuMemAdvise_v2), memory.access(false))?
        else {
            return Ok(());
        };
        let (advice, location) = advice.raw();
        let (at, found) = (location.raw(), ffi::cuMemAdvise_v2()?);
        // SAFETY: the memory is alive, and its contents do not change.
        unsafe { answer!(cuMemAdvise_v2 = found(address, bytes, advice, at)) }
            .explain(|code| refusals::managed(address, Some(location), code))
    }

    /// Returns the advice that managed memory has, and where it was last moved.
    ///
    /// Needs a driver of CUDA 12.2 or later.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for memory that is not managed, and for none;
    /// [`OtherContext`](Error::OtherContext); [`NotCurrent`](Error::NotCurrent).
    #[doc(alias = "cuMemRangeGetAttributes")]
    #[doc(alias = "cuMemRangeGetAttribute")]
    pub fn range_info<T: Element>(&self, memory: &impl DeviceMemory<'ctx, T>) -> Result<RangeInfo> {
        /// No place, among the users of memory and as a number.
        const NOBODY: c_int = -2;
        const CALL: &str = name!(cuMemRangeGetAttributes);
        let (address, bytes) = self.range_of(CALL, memory.access(false))?.unwrap_or((0, 0));
        let (mut read_mostly, mut preferred, mut preferred_id) = (0_u32, 0_u32, 0);
        let (mut last, mut last_id): (u32, c_int) = (0, 0);
        // Every device, and the host.
        let mut users = vec![NOBODY; Device::count()? as usize + 1];
        let number = size_of::<c_int>();
        let asked: [(_, *mut c_void, usize); 6] = [
            (CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, (&raw mut read_mostly).cast(), number),
            (
                CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
                users.as_mut_ptr().cast(),
                size_of_val(&users[..]),
            ),
            (CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, (&raw mut preferred).cast(), number),
            (CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID, (&raw mut preferred_id).cast(), number),
            (CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE, (&raw mut last).cast(), number),
            (CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID, (&raw mut last_id).cast(), number),
        ];
        let (mut which, mut to) = (asked.map(|(one, ..)| one), asked.map(|(_, to, _)| to));
        let mut sizes = asked.map(|(.., size)| size);
        let (to, sizes) = (to.as_mut_ptr(), sizes.as_mut_ptr());
        // SAFETY: the lists have as many entries as `asked`, and each place is valid for the bytes that its size says.
        // The driver checks the memory.
        unsafe {
            answer!(cuMemRangeGetAttributes(
                to,
                sizes,
                which.as_mut_ptr(),
                asked.len(),
                address,
                bytes
            ))
        }
        .explain(|code| refusals::managed(address, None, code))?;
        let place = |kind, id| Location::from_raw(CALL, CUmemLocationType(kind), id);
        let user = |&id: &c_int| match id {
            NOBODY => None,
            ffi::CU_DEVICE_CPU => Some(Location::Host),
            device => Some(Location::Device(Device::from_raw(device))),
        };
        Ok(RangeInfo {
            read_mostly: read_mostly != 0,
            preferred_location: place(preferred, preferred_id)?,
            accessed_by: users.iter().filter_map(user).collect(),
            last_prefetch: place(last, last_id)?,
        })
    }

    /// Returns the address and the size of memory, unless it is empty.
    #[inline]
    fn range_of(&self, call: &'static str, memory: Access<'_>) -> Result<Option<(u64, usize)>> {
        self.enter(call)?;
        same_context(call, memory.is_of(self.context().key()))?;
        let range = memory.range();
        let bytes = (range.end - range.start) as usize;
        Ok((bytes > 0).then_some((range.start, bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attachment_has_the_flag_of_the_driver() {
        assert_eq!(
            [Attachment::Global, Attachment::Host, Attachment::Single].map(Attachment::raw),
            [1, 2, 4]
        );
    }

    #[test]
    fn each_advice_has_the_number_of_the_driver() {
        let all = [
            Advice::ReadMostly(true),
            Advice::ReadMostly(false),
            Advice::PreferredLocation(Some(Location::Host)),
            Advice::PreferredLocation(None),
            Advice::AccessedBy(Location::Host),
            Advice::NotAccessedBy(Location::Host),
        ];
        assert_eq!(all.map(|advice| advice.raw().0.0), [1, 2, 3, 4, 5, 6]);
    }
}
