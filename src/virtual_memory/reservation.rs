//! Reserved addresses, and what is mapped there.
#![allow(unsafe_code, reason = "calls the driver")]

use super::{Multicast, PhysicalMemory, location, refusals};
use crate::call::{answer, later, name};
use crate::device::Device;
use crate::driver::capture_mode::release_relaxed;
use crate::error::{Error, RangeUnit, Result};
use ffi::{CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUmemGenericAllocationHandle};
use static_assertions::assert_impl_all;
use std::{fmt, mem};

/// The access of a device to memory that is mapped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum MappedAccess {
    /// None. A mapping begins so.
    None,
    /// Reading. A kernel that writes faults.
    Read,
    /// Reading and writing.
    ReadWrite,
}

impl MappedAccess {
    #[inline]
    fn flags(self) -> CUmemAccess_flags {
        match self {
            MappedAccess::None => ffi::CU_MEM_ACCESS_FLAGS_PROT_NONE,
            MappedAccess::Read => ffi::CU_MEM_ACCESS_FLAGS_PROT_READ,
            MappedAccess::ReadWrite => ffi::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        }
    }
}

/// A range of addresses, which are valid on all devices, and the physical memory that is mapped there.
///
/// Nothing in this crate uses the memory by itself: whoever passes its addresses on, to a kernel or to
/// [`buffer_from_raw`](crate::PushedGuard::buffer_from_raw), promises that the memory stays mapped meanwhile. Dropping
/// the reservation unmaps the memory and releases it, then the addresses.
pub struct Reservation {
    address: CUdeviceptr,
    bytes: usize,
    /// In the order of their places.
    mapped: Vec<Mapping>,
}
assert_impl_all!(Reservation: Send, Sync);

/// A mapping at a place in the range.
struct Mapping {
    offset: usize,
    what: Mapped,
}

/// Memory that can be mapped. A mapping keeps it, also if a clone of it is mapped or bound elsewhere.
enum Mapped {
    Memory(PhysicalMemory),
    Multicast(Multicast),
}

impl Mapped {
    #[inline]
    fn size_bytes(&self) -> usize {
        match self {
            Mapped::Memory(memory) => memory.size_bytes(),
            Mapped::Multicast(object) => object.size_bytes(),
        }
    }

    /// Returns what offsets of it are multiples of, if the driver tells.
    #[cold]
    fn granularity(&self) -> Option<usize> {
        match self {
            Mapped::Memory(memory) => PhysicalMemory::granularity(memory.device()).ok(),
            Mapped::Multicast(object) => {
                Multicast::granularity(object.devices(), object.size_bytes()).ok()
            }
        }
    }

    /// Returns the device whose memory it is, or the first one.
    #[cold]
    fn device(&self) -> Device {
        match self {
            Mapped::Memory(memory) => memory.device(),
            Mapped::Multicast(object) => object.devices()[0],
        }
    }

    #[inline]
    fn raw(&self) -> CUmemGenericAllocationHandle {
        match self {
            Mapped::Memory(memory) => memory.raw(),
            Mapped::Multicast(object) => object.raw(),
        }
    }
}

impl Mapping {
    #[inline]
    fn end(&self) -> usize {
        self.offset + self.what.size_bytes()
    }
}

impl Reservation {
    /// Reserves a range of addresses. Initialises the driver.
    ///
    /// # Errors
    /// The errors of [`init`](crate::init); `CUDA_ERROR_INVALID_VALUE` for a size that is 0 or no multiple of the
    /// granularity; `CUDA_ERROR_OUT_OF_MEMORY` if there are not as many addresses.
    #[doc(alias = "cuMemAddressReserve")]
    #[inline]
    pub fn new(bytes: usize) -> Result<Reservation> {
        crate::driver::init()?;
        let mut address = 0;
        // SAFETY: writes an address to `address`, which is valid for it. The driver chooses the alignment and the place;
        // the flags must be 0.
        unsafe { answer!(cuMemAddressReserve(&raw mut address, bytes, 0, 0, 0)) }
            .explain(|code| refusals::reserve(bytes, code))?;
        Ok(Reservation { address, bytes, mapped: Vec::new() })
    }

    /// Maps physical memory at an offset in bytes. No device has access to it yet.
    ///
    /// # Errors
    /// [`InvalidRange`](Error::InvalidRange) for memory that ends past the reservation;
    /// [`InvalidArgument`](Error::InvalidArgument) for an offset where memory is mapped; `CUDA_ERROR_INVALID_VALUE` for
    /// one that is no multiple of the [`granularity`](PhysicalMemory::granularity). The memory is then released.
    #[doc(alias = "cuMemMap")]
    #[inline]
    pub fn map(&mut self, offset: usize, memory: PhysicalMemory) -> Result {
        self.map_any(offset, Mapped::Memory(memory))
    }

    /// Maps a multicast object at an offset in bytes, and keeps it with the memory that is bound to it. No device has access
    /// to it yet.
    ///
    /// What kernels do there with `multimem` instructions is done to the memory of every device of the object. Nothing else
    /// may use these addresses: what it does is not defined.
    ///
    /// # Errors
    /// The errors of [`map`](Self::map). The object is then dropped.
    #[doc(alias = "cuMemMap")]
    #[inline]
    pub fn map_multicast(&mut self, offset: usize, object: Multicast) -> Result {
        self.map_any(offset, Mapped::Multicast(object))
    }

    #[inline]
    fn map_any(&mut self, offset: usize, what: Mapped) -> Result {
        const CALL: &str = name!(cuMemMap);
        let size = what.size_bytes();
        let end = offset.checked_add(size).filter(|&end| end <= self.bytes);
        let Some(end) = end else {
            return Err(Error::InvalidRange {
                call: CALL,
                end: offset.saturating_add(size),
                len: self.bytes,
                unit: RangeUnit::Bytes,
            });
        };
        let place = self.mapped.partition_point(|one| one.offset < offset);
        let before = place.checked_sub(1).map(|index| &self.mapped[index]);
        let next = self.mapped.get(place).filter(|next| next.offset < end);
        if let Some(there) = before.filter(|one| one.end() > offset).or(next) {
            let reason = format!(
                "memory is mapped there, from byte {} to byte {}: unmap it first, or choose another offset than {offset}",
                there.offset,
                there.end()
            );
            return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
        }
        // Before the call, so that nothing fails behind it.
        self.mapped.reserve(1);
        let at = self.address + offset as CUdeviceptr;
        // SAFETY: the range is inside the reservation, and nothing is mapped there; the memory or the object is alive and has
        // as many bytes. The offset in it and the flags must be 0.
        unsafe { answer!(cuMemMap(at, size, 0, what.raw(), 0)) }
            .explain(|_| refusals::map(offset, what.granularity()))?;
        self.mapped.insert(place, Mapping { offset, what });
        Ok(())
    }

    /// Unmaps the memory that was mapped at this offset, and returns it with its contents.
    ///
    /// Nothing may use it any more: a kernel that does faults, which costs the process its GPUs
    /// ([F85](crate::driver_facts#F85)).
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) if no memory was mapped at this offset; a driver error, after which
    /// it is still mapped.
    #[doc(alias = "cuMemUnmap")]
    #[inline]
    pub fn unmap(&mut self, offset: usize) -> Result<PhysicalMemory> {
        let memory = |what: &Mapped| matches!(what, Mapped::Memory(_));
        match self.unmap_any(offset, memory, ("memory", "map"))? {
            Mapped::Memory(memory) => Ok(memory),
            Mapped::Multicast(_) => unreachable!("only memory was taken"),
        }
    }

    /// Unmaps the multicast object that was mapped at this offset, and returns it with its memory.
    ///
    /// Nothing may use it any more, as for [`unmap`](Self::unmap).
    ///
    /// # Errors
    /// The errors of [`unmap`](Self::unmap).
    #[doc(alias = "cuMemUnmap")]
    #[inline]
    pub fn unmap_multicast(&mut self, offset: usize) -> Result<Multicast> {
        let multicast = |what: &Mapped| matches!(what, Mapped::Multicast(_));
        match self.unmap_any(offset, multicast, ("multicast object", "map_multicast"))? {
            Mapped::Multicast(object) => Ok(object),
            Mapped::Memory(_) => unreachable!("only an object was taken"),
        }
    }

    /// Unmaps what was mapped at this offset, if it is what is wanted, which has this name and was mapped by this method.
    fn unmap_any(
        &mut self,
        offset: usize,
        wanted: impl Fn(&Mapped) -> bool,
        (name, map): (&str, &str),
    ) -> Result<Mapped> {
        let found = self.mapped.binary_search_by_key(&offset, |one| one.offset);
        let Some(place) = found.ok().filter(|&place| wanted(&self.mapped[place].what)) else {
            return Err(not_mapped(name!(cuMemUnmap), name, offset, map));
        };
        let (at, size) = self.range_of(&self.mapped[place]);
        // SAFETY: a whole mapping of this reservation. Whoever let work use it promised that it is over by now.
        unsafe { answer!(cuMemUnmap(at, size)) }.check()?;
        Ok(self.mapped.remove(place).what)
    }

    /// Returns the memory that was mapped at this offset.
    #[inline]
    pub(super) fn memory(&self, offset: usize) -> Option<&PhysicalMemory> {
        let place = self.mapped.binary_search_by_key(&offset, |one| one.offset).ok()?;
        match &self.mapped[place].what {
            Mapped::Memory(memory) => Some(memory),
            Mapped::Multicast(_) => None,
        }
    }

    /// Returns the addresses of a mapping, and its size.
    #[inline]
    fn range_of(&self, mapping: &Mapping) -> (CUdeviceptr, usize) {
        (self.address + mapping.offset as CUdeviceptr, mapping.what.size_bytes())
    }

    /// Sets the access of a device to a range of bytes that is mapped all over. The range begins and ends with
    /// mappings.
    ///
    /// Nothing may use the memory meanwhile: the call waits for no work ([F407](crate::driver_facts#F407)).
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for another range; a driver error for a device that cannot access the memory.
    #[doc(alias = "cuMemSetAccess")]
    #[inline]
    pub fn set_access(
        &mut self,
        offset: usize,
        bytes: usize,
        device: Device,
        access: MappedAccess,
    ) -> Result {
        self.set_accesses(offset, bytes, &[(device, access)])
    }

    /// Sets the access of several devices.
    #[inline]
    pub(crate) fn set_accesses(
        &mut self,
        offset: usize,
        bytes: usize,
        all: &[(Device, MappedAccess)],
    ) -> Result {
        const CALL: &str = name!(cuMemSetAccess);
        let end = offset.checked_add(bytes).filter(|&end| end <= self.bytes);
        if end.is_none() {
            let end = offset.saturating_add(bytes);
            return Err(Error::InvalidRange {
                call: CALL,
                end,
                len: self.bytes,
                unit: RangeUnit::Bytes,
            });
        }
        let describe = |&(device, access): &(Device, MappedAccess)| CUmemAccessDesc {
            location: location(device),
            flags: access.flags(),
        };
        let described: Vec<_> = all.iter().map(describe).collect();
        let at = self.address + offset as CUdeviceptr;
        // SAFETY: reads as many descriptions as there are; the range is inside the reservation.
        unsafe { answer!(cuMemSetAccess(at, bytes, described.as_ptr(), described.len())) }.explain(
            |_| {
                let mapped = self.mapped.iter();
                let mapped = mapped.map(|one| (one.offset, one.end(), one.what.device()));
                let devices = all.iter().map(|&(device, _)| device);
                refusals::access((offset, offset + bytes), mapped, devices)
            },
        )
    }

    /// Returns the access of a device at an offset.
    ///
    /// # Errors
    /// [`InvalidRange`](Error::InvalidRange) for an offset past the end; a driver error where nothing is mapped;
    /// [`Error::UnknownValue`] for an access that has no name here.
    #[doc(alias = "cuMemGetAccess")]
    #[inline]
    pub fn access(&self, offset: usize, device: Device) -> Result<MappedAccess> {
        const CALL: &str = name!(cuMemGetAccess);
        if offset >= self.bytes {
            return Err(Error::InvalidRange {
                call: CALL,
                end: offset,
                len: self.bytes,
                unit: RangeUnit::Bytes,
            });
        }
        let (mut flags, location) = (0, location(device));
        let at = self.address + offset as CUdeviceptr;
        // SAFETY: writes flags to `flags` and reads `location`, which are valid for it.
        unsafe { answer!(cuMemGetAccess(&raw mut flags, &raw const location, at)) }
            .explain(|_| Some(refusals::no_mapping(offset, self.mapped_bytes())))?;
        let all = [MappedAccess::None, MappedAccess::Read, MappedAccess::ReadWrite];
        let found = all.into_iter().find(|access| u64::from(access.flags().0) == flags);
        found.ok_or(Error::UnknownValue { call: CALL, value: flags as u32 })
    }

    /// Returns the offset of the mapping that begins last, and its end.
    #[inline]
    pub(crate) fn last(&self) -> Option<(usize, usize)> {
        self.mapped.last().map(|last| (last.offset, last.end()))
    }

    /// Returns the number of bytes where memory or a multicast object is mapped.
    #[must_use]
    #[inline]
    pub fn mapped_bytes(&self) -> usize {
        self.mapped.iter().map(|one| one.what.size_bytes()).sum()
    }

    /// Returns the number of bytes that are reserved.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the first address, the same on all devices.
    #[must_use]
    pub fn address(&self) -> CUdeviceptr {
        self.address
    }
}

impl Drop for Reservation {
    #[cold]
    #[inline]
    fn drop(&mut self) {
        let (address, bytes) = (self.address, self.bytes);
        let mut is_later = false;
        while let Some(mapping) = self.mapped.pop() {
            let (at, size) = self.range_of(&mapping);
            // SAFETY: a whole mapping of this reservation, which nothing uses: whoever let work use it promised that it
            // is over by now.
            release_relaxed(unsafe { later!(cuMemUnmap(at, size)) }, || {
                is_later = true;
                self.mapped.push(mapping);
                Reservation { address, bytes, mapped: mem::take(&mut self.mapped) }
            });
        }
        if is_later {
            return; // with the addresses
        }
        // SAFETY: this is the only owner of the range, which was reserved so and not freed. Nothing is mapped there, or
        // the driver refuses.
        release_relaxed(unsafe { later!(cuMemAddressFree(address, bytes)) }, || Reservation {
            address,
            bytes,
            mapped: Vec::new(),
        });
    }
}

impl fmt::Debug for Reservation {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mapped, bytes) = (self.mapped_bytes(), self.bytes);
        write!(f, "Reservation({mapped} of {bytes} bytes at {:#x})", self.address)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// The numbers are those of the manual, and not of the declarations.
    #[test]
    fn each_access_has_its_own_number() {
        for (access, number) in
            [(MappedAccess::None, 0), (MappedAccess::Read, 1), (MappedAccess::ReadWrite, 3)]
        {
            assert_eq!(access.flags(), CUmemAccess_flags(number), "{access:?}");
        }
    }
}

/// The error of a call for what is not mapped at this offset.
#[cold]
#[inline]
pub(super) fn not_mapped(call: &'static str, name: &str, offset: usize, map: &str) -> Error {
    let reason = format!(
        "no {name} was mapped at this offset, {offset}: pass one that `{map}` was called with"
    );
    Error::InvalidArgument { call, reason: reason.into() }
}
