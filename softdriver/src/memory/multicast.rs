//! Multicast objects: a range whose bytes are in the memory of several devices at once (F496).
//!
//! Only the instructions `multimem` reach a mapping of one. A bound memory has addresses of its own, which the program is
//! not told: what `multimem` does is done there, for each device.
#![allow(unsafe_code, reason = "exported functions")]

use super::physical::{Physical, Region};
use super::space::Rights;
use super::virtual_memory::{GRANULARITY, Object, aligned};
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::{device, driver as drivers, sync};
use core::ffi::c_ulonglong;
use cuscope_sys::*;
use std::sync::{Arc, Mutex};

const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

/// Whether there are multicast objects: where there are several devices, and memory has several addresses.
pub(crate) fn is_there() -> bool {
    Physical::IS_SHARED && state().devices.len() > 1
}

/// NOT_SUPPORTED without them, whatever the arguments.
fn supported() -> Answer {
    if is_there() { Ok(()) } else { Err(CUDA_ERROR_NOT_SUPPORTED) }
}

/// A multicast object.
pub(crate) struct Multicast {
    /// How many devices belong to it.
    team: usize,
    size: usize,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// The devices that were added.
    devices: Vec<usize>,
    bound: Vec<Bound>,
}

/// Memory that is bound.
struct Bound {
    /// Where it begins in the object, and its bytes there.
    at: usize,
    size: usize,
    memory: Arc<Physical>,
    region: Arc<Region>,
    /// The address of the memory, which the program is not told, and the offset in it.
    address: u64,
    from: usize,
}

impl Bound {
    /// Binds a part of memory, which gets addresses.
    fn new(at: usize, size: usize, memory: &Arc<Physical>, from: usize) -> Answer<Self> {
        let space = &state().space;
        let whole = memory.size;
        let region = Arc::new(Region::new(whole).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?);
        let address = space.addresses(whole, GRANULARITY)?;
        region.map(0, whole, memory)?;
        let lives = &state().virtual_memory.lives;
        let mapped = space.map(&lives[memory.device], address, (region.clone(), 0), whole);
        let one = Self { at, size, memory: memory.clone(), region, address, from };
        mapped.and_then(|()| {
            (0..lives.len()).try_for_each(|device| space.allow(address, device, Rights::ReadWrite))
        })?;
        Ok(one)
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        if let Some(driver) = drivers::get() {
            // Not there if it could not be added.
            let _gone = driver.space.unmap(self.address);
        }
        self.region.unmap(0, self.memory.size, &self.memory);
    }
}

impl Multicast {
    /// Its size, once all devices were added. The driver would wait for that.
    pub(super) fn size_of_team(&self) -> Answer<usize> {
        let complete = sync::lock(&self.inner).devices.len() == self.team;
        if complete { Ok(self.size) } else { Err(CUDA_ERROR_ILLEGAL_STATE) }
    }

    /// Where bytes are in the memory of each device, if all of them have memory there.
    pub(super) fn targets(&self, offset: usize, bytes: usize) -> Option<Vec<u64>> {
        let inner = sync::lock(&self.inner);
        let of = |device: &usize| {
            let holds = |one: &&Bound| {
                let inside = offset >= one.at && offset + bytes <= one.at + one.size;
                inside && one.memory.device == *device
            };
            let one = inner.bound.iter().find(holds)?;
            Some(one.address + (one.from + offset - one.at) as u64)
        };
        inner.devices.iter().map(of).collect()
    }

    /// Binds memory of a device that was added, where none of it is bound.
    fn bind(&self, at: usize, memory: &Arc<Physical>, from: usize, size: usize) -> Answer {
        self.size_of_team()?;
        aligned(&[at as u64, from as u64, size as u64])?;
        let fits = |start: usize, room: usize| start <= room && size <= room - start;
        if size == 0 || !fits(at, self.size) || !fits(from, memory.size) {
            return Err(INVALID);
        }
        let mut inner = sync::lock(&self.inner);
        let taken = |one: &Bound| {
            one.memory.device == memory.device && one.at < at + size && at < one.at + one.size
        };
        if !inner.devices.contains(&memory.device) || inner.bound.iter().any(taken) {
            return Err(INVALID);
        }
        inner.bound.push(Bound::new(at, size, memory, from)?);
        Ok(())
    }
}

/// The size and the number of devices that an object is asked for with.
fn described(prop: *const CUmulticastObjectProp) -> Answer<(usize, usize)> {
    let prop = entry::read(prop)?;
    let team = prop.numDevices as usize;
    if !(1..=state().devices.len()).contains(&team) || prop.flags != 0 || prop.size == 0 {
        return Err(INVALID);
    }
    // There is no handle of it for other processes.
    if prop.handleTypes != 0 {
        return Err(CUDA_ERROR_NOT_SUPPORTED);
    }
    Ok((team, prop.size))
}

driver! {
    /// Creates an object for a number of devices, which are to be added.
    fn cuMulticastCreate(
        mcHandle: *mut CUmemGenericAllocationHandle,
        prop: *const CUmulticastObjectProp,
    ) {
        supported()?;
        entry::wanted(mcHandle)?;
        let (team, size) = described(prop)?;
        aligned(&[size as u64])?;
        let object = Multicast { team, size, inner: Mutex::default() };
        let object = Object::Multicast(Arc::new(object));
        entry::write(mcHandle, sync::lock(&state().virtual_memory.inner).add(object))
    }
    /// Adds a device.
    fn cuMulticastAddDevice(mcHandle: CUmemGenericAllocationHandle, dev: CUdevice) {
        supported()?;
        let object = sync::lock(&state().virtual_memory.inner).multicast(mcHandle)?.clone();
        let device = device::device(dev)?.ordinal;
        let mut inner = sync::lock(&object.inner);
        if inner.devices.len() == object.team || inner.devices.contains(&device) {
            return Err(INVALID);
        }
        inner.devices.push(device);
        Ok(())
    }
    /// Binds physical memory.
    fn cuMulticastBindMem(
        mcHandle: CUmemGenericAllocationHandle,
        mcOffset: usize,
        memHandle: CUmemGenericAllocationHandle,
        memOffset: usize,
        size: usize,
        flags: c_ulonglong,
    ) {
        supported()?;
        let inner = sync::lock(&state().virtual_memory.inner);
        let (object, memory) = (inner.multicast(mcHandle)?.clone(), inner.memory(memHandle)?.clone());
        drop(inner);
        if flags != 0 {
            return Err(INVALID);
        }
        object.bind(mcOffset, &memory, memOffset, size)
    }
    /// Binds what is mapped at an address.
    fn cuMulticastBindAddr(
        mcHandle: CUmemGenericAllocationHandle,
        mcOffset: usize,
        memptr: CUdeviceptr,
        size: usize,
        flags: c_ulonglong,
    ) {
        supported()?;
        let inner = sync::lock(&state().virtual_memory.inner);
        let object = inner.multicast(mcHandle)?.clone();
        let (memory, from) = inner.mapped_at(memptr)?;
        let memory = memory.clone();
        drop(inner);
        if flags != 0 {
            return Err(INVALID);
        }
        object.bind(mcOffset, &memory, from, size)
    }
    /// Ends what one call bound.
    fn cuMulticastUnbind(
        mcHandle: CUmemGenericAllocationHandle,
        dev: CUdevice,
        mcOffset: usize,
        size: usize,
    ) {
        supported()?;
        let object = sync::lock(&state().virtual_memory.inner).multicast(mcHandle)?.clone();
        let device = device::device(dev)?.ordinal;
        let mut inner = sync::lock(&object.inner);
        let is_it = |one: &Bound| {
            one.memory.device == device && one.at == mcOffset && one.size == size
        };
        let place = inner.bound.iter().position(is_it).ok_or(INVALID)?;
        let gone = inner.bound.remove(place);
        drop(inner);
        drop(gone);
        Ok(())
    }
    /// What sizes and offsets have to be multiples of.
    fn cuMulticastGetGranularity(
        granularity: *mut usize,
        prop: *const CUmulticastObjectProp,
        option: CUmulticastGranularity_flags,
    ) {
        supported()?;
        entry::wanted(granularity)?;
        described(prop)?;
        if ![CU_MULTICAST_GRANULARITY_MINIMUM, CU_MULTICAST_GRANULARITY_RECOMMENDED].contains(&option) {
            return Err(INVALID);
        }
        entry::write(granularity, GRANULARITY)
    }
}
