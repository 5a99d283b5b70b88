//! The driver functions about [`multicast`](crate::model::memory::multicast).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry::Answer;
use crate::model::device;
use crate::model::device::all as device_list;
use crate::model::memory::multicast::{Bound, INVALID, Multicast, is_there};
use crate::model::memory::virtual_memory::VIRTUAL_MEMORY;
use crate::model::memory::virtual_memory::{GRANULARITY, Object, aligned};
use crate::{entry, sync};
use core::ffi::c_ulonglong;
use cuscope_sys::*;
use std::sync::{Arc, Mutex};

/// NOT_SUPPORTED without them, whatever the arguments.
fn supported() -> Answer {
    if is_there() { Ok(()) } else { Err(CUDA_ERROR_NOT_SUPPORTED) }
}

/// The size and the number of devices that an object is asked for with.
fn described(prop: *const CUmulticastObjectProp) -> Answer<(usize, usize)> {
    let prop = entry::read(prop)?;
    let team = prop.numDevices as usize;
    if !(1..=device_list().len()).contains(&team) || prop.flags != 0 || prop.size == 0 {
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
        entry::write(mcHandle, sync::lock(&VIRTUAL_MEMORY.inner).add(object))
    }
    /// Adds a device.
    fn cuMulticastAddDevice(mcHandle: CUmemGenericAllocationHandle, dev: CUdevice) {
        supported()?;
        let object = sync::lock(&VIRTUAL_MEMORY.inner).multicast(mcHandle)?.clone();
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
        let inner = sync::lock(&VIRTUAL_MEMORY.inner);
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
        let inner = sync::lock(&VIRTUAL_MEMORY.inner);
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
        let object = sync::lock(&VIRTUAL_MEMORY.inner).multicast(mcHandle)?.clone();
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
    /// Gives the number that sizes and offsets are multiples of.
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
