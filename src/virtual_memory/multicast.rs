//! Multicast objects.
#![allow(unsafe_code, reason = "calls the driver")]

use super::reservation::not_mapped;
use super::{PhysicalMemory, Reservation, refusals};
use crate::call::{answer, later, name};
use crate::device::Device;
use crate::driver::capture_mode::release_relaxed;
use crate::error::{Error, RangeUnit, Result};
use ffi::{CUmemGenericAllocationHandle, CUmulticastObjectProp};
use static_assertions::assert_impl_all;
use std::{fmt, mem};

/// A multicast object: a range of bytes, each of which is in the memory of several devices at once.
///
/// 1. [`Multicast::create`] makes one for its devices.
/// 2. [`bind`](Self::bind) gives it memory of each device.
/// 3. [`Reservation::map_multicast`] gives it an address, and [`Reservation::set_access`] lets devices use that.
///
/// Kernels on these devices use the address with `multimem` instructions: a store or a reduction is done to the memory of all
/// devices, and a load reduces what they have. Other instructions and copies are not defined there. Each device reads its
/// own memory where that is mapped: clone the [`PhysicalMemory`] to map and to bind it. Kernels order their uses of the memory
/// themselves.
///
/// Dropping the object unbinds the memory, and then releases both. Needs devices that are connected by a switch, as
/// [`is_supported`](Self::is_supported) tells, and a driver of CUDA 12.1 or later.
///
/// # Examples
/// ```
/// use cuscope::Device;
/// use cuscope::virtual_memory::{MappedAccess, Multicast, PhysicalMemory, Reservation};
///
/// # fn main() -> cuscope::Result {
/// let devices = Device::all()?;
/// if devices.len() < 2 || !Multicast::is_supported(devices[0])? {
///     return Ok(());
/// }
/// let bytes = Multicast::granularity(&devices, 1)?;
/// let mut object = Multicast::create(&devices, bytes)?;
/// let (mut own, mut all) = (Reservation::new(bytes * devices.len())?, Reservation::new(bytes)?);
/// for (place, &device) in devices.iter().enumerate() {
///     let memory = PhysicalMemory::create(device, bytes)?;
///     object.bind(0, memory.clone())?;
///     // Where the device reads its own part.
///     own.map(place * bytes, memory)?;
///     own.set_access(place * bytes, bytes, device, MappedAccess::ReadWrite)?;
/// }
/// all.map_multicast(0, object)?;
/// for device in devices {
///     all.set_access(0, bytes, device, MappedAccess::ReadWrite)?;
/// }
/// // A kernel that takes `all.address()` writes to every device by `multimem.st`.
/// # Ok(()) }
/// ```
pub struct Multicast {
    raw: CUmemGenericAllocationHandle,
    bytes: usize,
    devices: Vec<Device>,
    bound: Vec<Bound>,
}
assert_impl_all!(Multicast: Send, Sync);

/// Memory of one device, which is bound as a whole.
struct Bound {
    offset: usize,
    memory: PhysicalMemory,
}

/// Returns the properties of an object.
#[inline]
fn properties(devices: &[Device], bytes: usize) -> CUmulticastObjectProp {
    // More devices than there are numbers are refused as too many.
    let number = u32::try_from(devices.len()).unwrap_or(u32::MAX);
    CUmulticastObjectProp { numDevices: number, size: bytes, handleTypes: 0, flags: 0 }
}

impl Multicast {
    /// Returns whether a device can belong to a multicast object.
    ///
    /// # Errors
    /// A driver error.
    #[inline]
    pub fn is_supported(device: Device) -> Result<bool> {
        Ok(device.attribute(ffi::CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED)? != 0)
    }

    /// Returns the number of bytes that the size of an object for these devices, and offsets in it, are multiples of.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` for devices without multicast objects ([F496](crate::driver_facts#F496));
    /// `CUDA_ERROR_INVALID_VALUE` for no devices and no bytes; [`NeedsDriver`](Error::NeedsDriver).
    #[doc(alias = "cuMulticastGetGranularity")]
    #[inline]
    pub fn granularity(devices: &[Device], bytes: usize) -> Result<usize> {
        let get = ffi::cuMulticastGetGranularity()?;
        let (mut granularity, properties) = (0, properties(devices, bytes));
        let least = ffi::CU_MULTICAST_GRANULARITY_MINIMUM;
        let (out, asked) = (&raw mut granularity, &raw const properties);
        // SAFETY: writes a size to `granularity` and reads `properties`, which are valid for it.
        unsafe { answer!(cuMulticastGetGranularity = get(out, asked, least)) }
            .explain(|_| refusals::no_multicast(devices, bytes))?;
        Ok(granularity)
    }

    /// Creates an object for these devices, to which no memory is bound.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for no devices, for a device that is listed twice, and for a size that is 0 or no multiple
    /// of the [`granularity`](Self::granularity); `CUDA_ERROR_NOT_SUPPORTED`; [`NeedsDriver`](Error::NeedsDriver).
    #[doc(alias = "cuMulticastCreate")]
    #[doc(alias = "cuMulticastAddDevice")]
    #[inline]
    pub fn create(devices: &[Device], bytes: usize) -> Result<Multicast> {
        let (create, add) = (ffi::cuMulticastCreate()?, ffi::cuMulticastAddDevice()?);
        let (properties, mut raw) = (properties(devices, bytes), 0);
        let (out, asked) = (&raw mut raw, &raw const properties);
        // SAFETY: writes a handle to `raw` and reads `properties`, which are valid for it.
        unsafe { answer!(cuMulticastCreate = create(out, asked)) }
            .explain(|code| refusals::multicast(devices, bytes, code))?;
        // It owns the handle from here on, also if a device is refused.
        let mut object = Multicast { raw, bytes, devices: Vec::new(), bound: Vec::new() };
        for &device in devices {
            // SAFETY: the object is alive. The driver compares the device with those that it has.
            unsafe { answer!(cuMulticastAddDevice = add(raw, device.raw())) }
                .explain(|code| refusals::multicast(devices, bytes, code))?;
            object.devices.push(device);
        }
        Ok(object)
    }

    /// Binds physical memory at an offset in bytes: from there on, the bytes of the object are in it. The object keeps the
    /// memory.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for memory of a device that is none of the object's, and where memory of
    /// the device is bound; [`InvalidRange`](Error::InvalidRange) for memory that ends past the object;
    /// `CUDA_ERROR_INVALID_VALUE` for an offset or a size that is no multiple of the [`granularity`](Self::granularity);
    /// `CUDA_ERROR_OUT_OF_MEMORY`.
    #[doc(alias = "cuMulticastBindMem")]
    #[inline]
    pub fn bind(&mut self, offset: usize, memory: PhysicalMemory) -> Result {
        let bind = ffi::cuMulticastBindMem()?;
        self.check(name!(cuMulticastBindMem), offset, &memory)?;
        let (object, handle, size) = (self.raw, memory.raw(), memory.size_bytes());
        // SAFETY: both handles are alive. All devices of the object were added, and the memory belongs to one of them. All of
        // it lies inside the object, where no memory of the device is bound. The flags must be 0.
        unsafe { answer!(cuMulticastBindMem = bind(object, offset, handle, 0, size, 0)) }
            .explain(|code| refusals::bind(&self.devices, self.bytes, offset, size, code))?;
        self.bound.push(Bound { offset, memory });
        Ok(())
    }

    /// Binds the physical memory that was mapped at an offset of a reservation. The object keeps the memory, and not the
    /// mapping.
    ///
    /// # Errors
    /// The errors of [`bind`](Self::bind); [`InvalidArgument`](Error::InvalidArgument) if no memory was mapped there.
    #[doc(alias = "cuMulticastBindAddr")]
    #[inline]
    pub fn bind_mapped(&mut self, offset: usize, from: &Reservation, at: usize) -> Result {
        const CALL: &str = name!(cuMulticastBindAddr);
        let bind = ffi::cuMulticastBindAddr()?;
        let Some(memory) = from.memory(at) else {
            return Err(not_mapped(CALL, "memory", at, "map"));
        };
        self.check(CALL, offset, memory)?;
        let (object, size) = (self.raw, memory.size_bytes());
        let address = from.address() + at as ffi::CUdeviceptr;
        // SAFETY: as in `bind`; the memory is mapped at the address, all of it.
        unsafe { answer!(cuMulticastBindAddr = bind(object, offset, address, size, 0)) }
            .explain(|code| refusals::bind(&self.devices, self.bytes, offset, size, code))?;
        self.bound.push(Bound { offset, memory: memory.clone() });
        Ok(())
    }

    /// Checks that memory can be bound at an offset. Makes room for its record, so that nothing fails behind the call.
    #[inline]
    fn check(&mut self, call: &'static str, offset: usize, memory: &PhysicalMemory) -> Result {
        let (device, size) = (memory.device(), memory.size_bytes());
        let end = offset.checked_add(size).filter(|&end| end <= self.bytes);
        let Some(end) = end else {
            let end = offset.saturating_add(size);
            return Err(Error::InvalidRange { call, end, len: self.bytes, unit: RangeUnit::Bytes });
        };
        if !self.devices.contains(&device) {
            let reason = format!(
                "the memory belongs to device {}, a device that the object was not created for",
                device.ordinal()
            );
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        }
        let overlaps = |one: &Bound| one.offset < end && offset < one.end();
        let mut own = self.bound.iter().filter(|one| one.memory.device() == device);
        if let Some(there) = own.find(|one| overlaps(one)) {
            let reason = format!(
                "memory of the device is bound there, from byte {} to byte {}: unbind it first, or choose another offset \
                 than {offset}",
                there.offset,
                there.end()
            );
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        }
        self.bound.reserve(1);
        Ok(())
    }

    /// Unbinds the memory of a device that was bound at this offset, and returns it with its contents.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) if none was bound at this offset; a driver error, after which it is still
    /// bound.
    #[doc(alias = "cuMulticastUnbind")]
    #[inline]
    pub fn unbind(&mut self, device: Device, offset: usize) -> Result<PhysicalMemory> {
        let unbind = ffi::cuMulticastUnbind()?;
        let is_it = |one: &Bound| one.memory.device() == device && one.offset == offset;
        let Some(place) = self.bound.iter().position(is_it) else {
            let reason = format!(
                "no memory of the device was bound at this offset, {offset}: pass one that it was bound at"
            );
            return Err(Error::InvalidArgument {
                call: name!(cuMulticastUnbind),
                reason: reason.into(),
            });
        };
        let (object, size) = (self.raw, self.bound[place].memory.size_bytes());
        // SAFETY: the object is alive and is not mapped. The offset and the size are those of one bind.
        unsafe { answer!(cuMulticastUnbind = unbind(object, device.raw(), offset, size)) }
            .check()?;
        Ok(self.bound.remove(place).memory)
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the devices, in the order in which they were added.
    #[must_use]
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// Returns the driver's handle, for calls of [`ffi`]. It is valid while this value lives. Do not release it.
    #[must_use]
    pub fn raw(&self) -> CUmemGenericAllocationHandle {
        self.raw
    }
}

impl Bound {
    #[inline]
    fn end(&self) -> usize {
        self.offset + self.memory.size_bytes()
    }
}

impl Drop for Multicast {
    #[inline]
    fn drop(&mut self) {
        let (object, bytes) = (self.raw, self.bytes);
        let mut is_later = false;
        if let Ok(unbind) = ffi::cuMulticastUnbind() {
            while let Some(bound) = self.bound.pop() {
                let (device, size) = (bound.memory.device().raw(), bound.memory.size_bytes());
                let offset = bound.offset;
                // SAFETY: the object is alive and is not mapped: a reservation unmaps it before it drops it. The offset and
                // the size are those of one bind, and the memory is released behind it.
                let unbind =
                    unsafe { later!(cuMulticastUnbind = unbind(object, device, offset, size)) };
                release_relaxed(unbind, || {
                    is_later = true;
                    self.bound.push(bound);
                    let (devices, bound) = (Vec::new(), mem::take(&mut self.bound));
                    Multicast { raw: object, bytes, devices, bound }
                });
            }
        }
        if is_later {
            return; // with the object
        }
        // SAFETY: this is the only owner of the handle, which was created and not released.
        release_relaxed(unsafe { later!(cuMemRelease(object)) }, || Multicast {
            raw: object,
            bytes,
            devices: Vec::new(),
            bound: Vec::new(),
        });
    }
}

impl fmt::Debug for Multicast {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Multicast({} bytes of {:?})", self.bytes, self.devices)
    }
}
