//! The driver functions about [`virtual_memory`](crate::model::memory::virtual_memory).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry::Answer;
use crate::model::device::all as device_list;
use crate::model::memory::allocation::Rights;
use crate::model::memory::physical::Physical;
use crate::model::memory::physical::Region;
use crate::model::memory::space::SPACE;
use crate::model::memory::virtual_memory::VIRTUAL_MEMORY;
use crate::model::memory::virtual_memory::{
    GRANULARITY, INVALID, Object, Piece, Reserved, aligned, place, rights,
};
use crate::{entry, sync};
use core::ffi::{c_int, c_ulonglong, c_void};
use cuscope_sys::*;
use std::sync::Arc;

/// The largest range.
const LARGEST: usize = 1 << 46;
/// No range begins after this.
const LAST: u64 = 1 << 57;

/// Refuses a device without virtual memory.
fn supported(device: usize) -> Answer {
    if device_list()[device].lacks(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) {
        return Err(CUDA_ERROR_NOT_SUPPORTED);
    }
    Ok(())
}

/// The device of memory with these properties, which is all that they may ask for, and handles for other processes.
fn described(prop: *const CUmemAllocationProp) -> Answer<(usize, CUmemAllocationHandleType)> {
    let prop = entry::read(prop)?;
    if prop.r#type != CU_MEM_ALLOCATION_TYPE_PINNED {
        return Err(INVALID);
    }
    let device = place(prop.location, INVALID, CUDA_ERROR_INVALID_DEVICE)?;
    supported(device)?;
    match prop.requestedHandleTypes {
        CU_MEM_HANDLE_TYPE_NONE => {}
        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
            if Physical::IS_SHARED
                && !device_list()[device]
                    .lacks(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED) => {}
        CU_MEM_HANDLE_TYPE_WIN32 => return Err(INVALID),
        types if types.0 & CU_MEM_HANDLE_TYPE_FABRIC.0 != 0 => {
            return Err(CUDA_ERROR_NOT_PERMITTED);
        }
        _ => return Err(CUDA_ERROR_NOT_SUPPORTED),
    }
    Ok((device, prop.requestedHandleTypes))
}

driver! {
    /// Gives the number that sizes and addresses are multiples of, for memory of any description.
    fn cuMemGetAllocationGranularity(
        granularity: *mut usize,
        prop: *const CUmemAllocationProp,
        option: CUmemAllocationGranularity_flags,
    ) [after_fault] {
        entry::wanted(granularity)?;
        let prop = entry::read(prop)?;
        let minimum = CU_MEM_ALLOC_GRANULARITY_MINIMUM;
        if ![minimum, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED].contains(&option) {
            return Err(INVALID);
        }
        // What they describe need not exist.
        if let Ok(device) = place(prop.location, INVALID, CUDA_ERROR_INVALID_DEVICE) {
            supported(device)?;
        }
        entry::write(granularity, GRANULARITY)
    }
    /// Reserves a range of addresses, aligned to a power of two. The wish for a place is not heeded, but has to be one.
    fn cuMemAddressReserve(
        ptr: *mut CUdeviceptr,
        size: usize,
        alignment: usize,
        addr: CUdeviceptr,
        flags: c_ulonglong,
    ) [after_fault] {
        entry::wanted(ptr)?;
        let power = alignment == 0 || alignment.is_power_of_two();
        aligned(&[size as u64, addr])?;
        if size == 0 || !power || flags != 0 {
            return Err(INVALID);
        }
        if size > LARGEST || alignment > LARGEST || addr > LAST {
            return Err(CUDA_ERROR_OUT_OF_MEMORY);
        }
        let region = Arc::new(Region::new(size).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?);
        let base = SPACE.addresses(size, alignment.max(GRANULARITY))?;
        sync::lock(&VIRTUAL_MEMORY.inner).reserved.insert(base, Reserved { size, region });
        entry::write(ptr, base)
    }
    /// Gives a reserved range back, in which nothing may be mapped.
    fn cuMemAddressFree(ptr: CUdeviceptr, size: usize) [after_fault] {
        let mut inner = sync::lock(&VIRTUAL_MEMORY.inner);
        let whole = inner.reserved.get(&ptr).is_some_and(|reserved| reserved.size == size);
        if !whole || inner.mapped.values().any(|piece| piece.within == ptr) {
            return Err(INVALID);
        }
        let gone = inner.reserved.remove(&ptr);
        drop(inner);
        drop(gone);
        Ok(())
    }
    /// Creates physical memory of a device.
    fn cuMemCreate(
        handle: *mut CUmemGenericAllocationHandle,
        size: usize,
        prop: *const CUmemAllocationProp,
        flags: c_ulonglong,
    ) [after_fault] {
        entry::wanted(handle)?;
        let (device, handle_types) = described(prop)?;
        if size == 0 || flags != 0 {
            return Err(INVALID);
        }
        aligned(&[size as u64])?;
        let memory = Physical::new(device, size, handle_types)?;
        let object = Object::Memory(Arc::new(memory));
        entry::write(handle, sync::lock(&VIRTUAL_MEMORY.inner).add(object))
    }
    /// Gives a handle back; the memory stays while it is mapped.
    fn cuMemRelease(handle: CUmemGenericAllocationHandle) [after_fault] {
        let mut inner = sync::lock(&VIRTUAL_MEMORY.inner);
        let (_, count) = inner.handles.get_mut(&handle).ok_or(INVALID)?;
        *count -= 1;
        let gone = if *count == 0 { inner.handles.remove(&handle) } else { None };
        drop(inner);
        drop(gone);
        Ok(())
    }
    /// The handle of what is mapped at an address, which takes one more release.
    fn cuMemRetainAllocationHandle(handle: *mut CUmemGenericAllocationHandle, addr: *mut c_void) {
        entry::wanted(handle)?;
        let mut inner = sync::lock(&VIRTUAL_MEMORY.inner);
        let (_, piece) = inner.at(addr.addr() as u64)?;
        let (found, object) = (piece.handle, piece.object.clone());
        inner.handles.entry(found).or_insert((object, 0)).1 += 1;
        entry::write(handle, found)
    }
    /// The properties of physical memory.
    fn cuMemGetAllocationPropertiesFromHandle(
        prop: *mut CUmemAllocationProp,
        handle: CUmemGenericAllocationHandle,
    ) {
        entry::wanted(prop)?;
        let inner = sync::lock(&VIRTUAL_MEMORY.inner);
        let memory = inner.memory(handle)?;
        let location = CUmemLocation {
            r#type: CU_MEM_LOCATION_TYPE_DEVICE,
            anonymous: CUmemLocation_v1_anonymous { id: memory.device as c_int },
        };
        let flags = CUmemAllocationProp_v1_allocFlags {
            compressionType: 0,
            gpuDirectRDMACapable: 0,
            usage: 0,
            reserved: [0; 4],
        };
        entry::write(prop, CUmemAllocationProp {
            r#type: CU_MEM_ALLOCATION_TYPE_PINNED,
            requestedHandleTypes: memory.handle_types,
            location,
            win32HandleMetaData: std::ptr::null_mut(),
            allocFlags: flags,
        })
    }
    /// Maps physical memory into a reserved range, all of it and without access to it.
    fn cuMemMap(
        ptr: CUdeviceptr,
        size: usize,
        offset: usize,
        handle: CUmemGenericAllocationHandle,
        flags: c_ulonglong,
    ) [after_fault] {
        let virtual_memory = &*VIRTUAL_MEMORY;
        let mut inner = sync::lock(&virtual_memory.inner);
        let object = inner.object(handle)?.clone();
        if size == 0 || flags != 0 {
            return Err(INVALID);
        }
        aligned(&[ptr])?;
        let whole = match &object {
            Object::Memory(memory) => memory.size,
            Object::Multicast(object) => object.size_of_team()?,
        };
        if size != whole || offset != 0 {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        let within = inner.holding(ptr, size)?;
        let end = ptr + size as u64;
        let before = inner.mapped.range(..end).next_back();
        if before.is_some_and(|(base, piece)| base + piece.size as u64 > ptr) {
            return Err(INVALID);
        }
        let mut rights = Vec::new();
        match &object {
            Object::Memory(memory) => {
                let region = inner.reserved.get(&within).ok_or(INVALID)?.region.clone();
                let at = (ptr - within) as usize;
                region.map(at, size, memory)?;
                let life = &virtual_memory.lives[memory.device];
                SPACE.map(life, ptr, (region.clone(), at), size).inspect_err(|_| {
                    region.unmap(at, size, memory);
                })?;
            }
            // Nothing but `multimem` reaches it, so there is no memory at its addresses.
            Object::Multicast(_) => rights = vec![Rights::None; virtual_memory.lives.len()],
        }
        inner.mapped.insert(ptr, Piece { size, within, handle, object, rights });
        Ok(())
    }
    /// Unmaps what is mapped in a part of a reserved range. It waits for nothing: work that still uses it faults.
    fn cuMemUnmap(ptr: CUdeviceptr, size: usize) [after_fault] {
        let mut inner = sync::lock(&VIRTUAL_MEMORY.inner);
        let mut gone = Vec::new();
        for base in inner.inside(ptr, size)? {
            let Some(piece) = inner.mapped.get(&base) else { continue };
            if let Object::Memory(memory) = &piece.object {
                SPACE.unmap(base)?;
                if let Some(reserved) = inner.reserved.get(&piece.within) {
                    let at = (base - piece.within) as usize;
                    reserved.region.unmap(at, piece.size, memory);
                }
            }
            gone.extend(inner.mapped.remove(&base));
        }
        drop(inner);
        drop(gone);
        Ok(())
    }
    /// Sets the access of devices to whole mappings.
    fn cuMemSetAccess(
        ptr: CUdeviceptr,
        size: usize,
        desc: *const CUmemAccessDesc,
        count: usize,
    ) [after_fault] {
        let mut inner = sync::lock(&VIRTUAL_MEMORY.inner);
        let pieces = inner.filling(ptr, size)?;
        entry::wanted(desc)?;
        if count == 0 {
            return Err(INVALID);
        }
        let all = (0..count).map(|index| rights(entry::element(desc, index)?));
        let all = all.collect::<Answer<Vec<_>>>()?;
        let reaches = |device: usize, object: &Object| match object {
            Object::Memory(memory) => {
                let devices = device_list();
                device == memory.device || devices[device].reaches(&devices[memory.device])
            }
            Object::Multicast(_) => true,
        };
        let objects = pieces.iter().filter_map(|base| Some(&inner.mapped.get(base)?.object));
        for object in objects {
            if !all.iter().all(|&(device, _)| reaches(device, object)) {
                return Err(CUDA_ERROR_INVALID_DEVICE);
            }
        }
        for (device, rights) in all {
            for base in &pieces {
                match inner.mapped.get_mut(base) {
                    Some(Piece { object: Object::Multicast(_), rights: all, .. }) => {
                        all[device] = rights;
                    }
                    _ => SPACE.allow(*base, device, rights)?,
                }
            }
        }
        Ok(())
    }
    /// The access of a device at an address: none to other memory.
    fn cuMemGetAccess(
        flags: *mut c_ulonglong,
        location: *const CUmemLocation,
        ptr: CUdeviceptr,
    ) [after_fault] {
        entry::wanted(flags)?;
        let no_device = CUDA_ERROR_INVALID_DEVICE;
        let device = place(entry::read(location)?, no_device, no_device)?;
        let inner = sync::lock(&VIRTUAL_MEMORY.inner);
        let Ok((base, piece)) = inner.at(ptr) else {
            SPACE.find(ptr, 1)?;
            return entry::write(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE.0.into());
        };
        let rights = match piece.object {
            Object::Memory(_) => SPACE.rights(base, device)?,
            Object::Multicast(_) => piece.rights[device],
        };
        entry::write(flags, match rights {
            Rights::None => CU_MEM_ACCESS_FLAGS_PROT_NONE,
            Rights::Read => CU_MEM_ACCESS_FLAGS_PROT_READ,
            Rights::ReadWrite => CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        }.0.into())
    }
    /// A file descriptor by which another process gets the memory.
    fn cuMemExportToShareableHandle(
        shareableHandle: *mut c_void,
        handle: CUmemGenericAllocationHandle,
        handleType: CUmemAllocationHandleType,
        flags: c_ulonglong,
    ) {
        entry::wanted(shareableHandle)?;
        let memory = sync::lock(&VIRTUAL_MEMORY.inner).memory(handle)?.clone();
        if flags != 0 || handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR {
            return Err(INVALID);
        }
        entry::write(shareableHandle.cast::<c_int>(), memory.export()?)
    }
    /// The memory of a file descriptor, which stays the caller's.
    fn cuMemImportFromShareableHandle(
        handle: *mut CUmemGenericAllocationHandle,
        osHandle: *mut c_void,
        shHandleType: CUmemAllocationHandleType,
    ) {
        entry::wanted(handle)?;
        match shHandleType {
            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR => {}
            CU_MEM_HANDLE_TYPE_WIN32 => return Err(CUDA_ERROR_NOT_SUPPORTED),
            _ => return Err(INVALID),
        }
        let memory = Physical::import(osHandle.addr() as c_int)?;
        let object = Object::Memory(Arc::new(memory));
        entry::write(handle, sync::lock(&VIRTUAL_MEMORY.inner).add(object))
    }
}
