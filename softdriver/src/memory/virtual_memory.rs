//! Virtual memory: ranges of addresses, physical memory, and what is mapped where with which access (F390–F399).
//! It works after a fault (F379).
#![allow(unsafe_code, reason = "exported functions, and the union of a place")]

use super::multicast::Multicast;
use super::physical::{Physical, Region};
use super::space::Rights;
use crate::device;
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::life::Life;
use crate::sync;
use core::ffi::{c_int, c_ulonglong, c_void};
use cuscope_sys::*;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// What sizes and addresses are multiples of. Less under Miri, which takes long for each byte.
pub(crate) const GRANULARITY: usize = if cfg!(miri) { 1 << 16 } else { 2 << 20 };
/// The largest range.
const LARGEST: usize = 1 << 46;
/// No range begins behind this.
const LAST: u64 = 1 << 57;

const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

/// The virtual memory of the process.
pub(crate) struct VirtualMemory {
    /// In whose name memory is mapped: no context's, by device.
    pub(super) lives: Vec<Arc<Life>>,
    pub(super) inner: Mutex<Inner>,
}

#[derive(Default)]
pub(super) struct Inner {
    /// Reserved ranges by their start.
    reserved: BTreeMap<u64, Reserved>,
    /// What is mapped, by its address.
    mapped: BTreeMap<u64, Piece>,
    /// What is mapped, by its handle, with the number of releases that the handle takes.
    handles: BTreeMap<u64, (Object, usize)>,
    last_handle: u64,
}

struct Reserved {
    size: usize,
    region: Arc<Region>,
}

/// What a handle stands for.
#[derive(Clone)]
pub(super) enum Object {
    Memory(Arc<Physical>),
    Multicast(Arc<Multicast>),
}

/// A mapping.
struct Piece {
    size: usize,
    /// The start of the reserved range.
    within: u64,
    handle: u64,
    object: Object,
    /// Of a multicast object: the access of each device. That to memory is in the address space.
    rights: Vec<Rights>,
}

/// How much there is.
pub(crate) struct Usage {
    pub(crate) reservations: usize,
    pub(crate) handles: usize,
    pub(crate) mappings: usize,
}

impl VirtualMemory {
    pub(crate) fn new(devices: usize) -> Self {
        Self { lives: (0..devices).map(Life::of_device).collect(), inner: Mutex::default() }
    }

    /// The start and size of the reserved range of a mapping, and for which handles its memory was created.
    pub(crate) fn told(&self, address: u64) -> Answer<(u64, usize, CUmemAllocationHandleType)> {
        let inner = sync::lock(&self.inner);
        let (_, piece) = inner.at(address)?;
        let reserved = inner.reserved.get(&piece.within).ok_or(INVALID)?;
        let handle_types = match &piece.object {
            Object::Memory(memory) => memory.handle_types,
            Object::Multicast(_) => CU_MEM_HANDLE_TYPE_NONE,
        };
        Ok((piece.within, reserved.size, handle_types))
    }

    /// Where the bytes at an address of a multicast mapping are, in the memory of each device of the object; `None` if a
    /// device may not reach the mapping, or has no memory bound there.
    pub(crate) fn multicast(&self, device: usize, address: u64, bytes: usize) -> Option<Vec<u64>> {
        let inner = sync::lock(&self.inner);
        let (base, piece) = inner.at(address).ok()?;
        match &piece.object {
            Object::Multicast(object) if piece.rights.get(device) == Some(&Rights::ReadWrite) => {
                object.targets((address - base) as usize, bytes)
            }
            _ => None,
        }
    }

    /// In whose name a device has memory that belongs to no context.
    pub(crate) fn life(&self, device: usize) -> &Arc<Life> {
        &self.lives[device]
    }

    /// Counts what is alive.
    pub(crate) fn usage(&self) -> Usage {
        let inner = sync::lock(&self.inner);
        let (reservations, handles) = (inner.reserved.len(), inner.handles.len());
        Usage { reservations, handles, mappings: inner.mapped.len() }
    }
}

impl Inner {
    /// Gives an object a handle.
    pub(super) fn add(&mut self, object: Object) -> u64 {
        self.last_handle += 1;
        self.handles.insert(self.last_handle, (object, 1));
        self.last_handle
    }

    /// What a handle stands for.
    fn object(&self, handle: u64) -> Answer<&Object> {
        self.handles.get(&handle).map(|(object, _)| object).ok_or(INVALID)
    }

    /// The physical memory of a handle.
    pub(super) fn memory(&self, handle: u64) -> Answer<&Arc<Physical>> {
        match self.object(handle)? {
            Object::Memory(memory) => Ok(memory),
            Object::Multicast(_) => Err(INVALID),
        }
    }

    /// The multicast object of a handle.
    pub(super) fn multicast(&self, handle: u64) -> Answer<&Arc<Multicast>> {
        match self.object(handle)? {
            Object::Multicast(object) => Ok(object),
            Object::Memory(_) => Err(INVALID),
        }
    }

    /// The physical memory that is mapped at an address, and the offset of that in it.
    pub(super) fn mapped_at(&self, address: u64) -> Answer<(&Arc<Physical>, usize)> {
        let (base, piece) = self.at(address)?;
        match &piece.object {
            Object::Memory(memory) => Ok((memory, (address - base) as usize)),
            Object::Multicast(_) => Err(INVALID),
        }
    }

    /// The mapping that an address lies in.
    fn at(&self, address: u64) -> Answer<(u64, &Piece)> {
        let (&base, piece) = self.mapped.range(..=address).next_back().ok_or(INVALID)?;
        if address - base < piece.size as u64 { Ok((base, piece)) } else { Err(INVALID) }
    }

    /// The addresses of the mappings that fill a range, whole ones and without a gap.
    fn filling(&self, address: u64, size: usize) -> Answer<Vec<u64>> {
        let end = address.checked_add(size as u64).ok_or(INVALID)?;
        let (mut next, mut found) = (address, Vec::new());
        while next < end {
            let piece = self.mapped.get(&next).ok_or(INVALID)?;
            found.push(next);
            next += piece.size as u64;
        }
        if next == end && !found.is_empty() { Ok(found) } else { Err(INVALID) }
    }

    /// The addresses of the mappings in a part of a reserved range, none of which it cuts.
    fn inside(&self, address: u64, size: usize) -> Answer<Vec<u64>> {
        aligned(&[address, size as u64])?;
        if size == 0 {
            return Err(INVALID);
        }
        self.holding(address, size)?;
        let end = address + size as u64;
        let mut found = Vec::new();
        for (&base, piece) in self.mapped.range(..end) {
            let last = base + piece.size as u64;
            if last <= address {
                continue;
            }
            if base < address || last > end {
                return Err(INVALID);
            }
            found.push(base);
        }
        Ok(found)
    }

    /// The start of the reserved range that holds so many bytes.
    fn holding(&self, address: u64, size: usize) -> Answer<u64> {
        let (&start, reserved) = self.reserved.range(..=address).next_back().ok_or(INVALID)?;
        let offset = (address - start) as usize;
        let holds = offset <= reserved.size && size <= reserved.size - offset;
        if holds { Ok(start) } else { Err(INVALID) }
    }
}

/// The device that a place is; `none` for what is no place, and `no_device` for an ordinal that is none.
fn place(location: CUmemLocation, none: CUresult, no_device: CUresult) -> Answer<usize> {
    match location.r#type {
        CU_MEM_LOCATION_TYPE_DEVICE => {}
        CU_MEM_LOCATION_TYPE_HOST | CU_MEM_LOCATION_TYPE_HOST_NUMA => {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        _ => return Err(none),
    }
    // SAFETY: every member of the union is numbers, of which any bits are a value.
    let id = unsafe { location.anonymous.id };
    device::device(id).map(|device| device.ordinal).map_err(|_| no_device)
}

/// The device of memory with these properties, which is all that they may ask for, and handles for other processes.
fn described(prop: *const CUmemAllocationProp) -> Answer<(usize, CUmemAllocationHandleType)> {
    let prop = entry::read(prop)?;
    if prop.r#type != CU_MEM_ALLOCATION_TYPE_PINNED {
        return Err(INVALID);
    }
    let device = place(prop.location, INVALID, CUDA_ERROR_INVALID_DEVICE)?;
    match prop.requestedHandleTypes {
        CU_MEM_HANDLE_TYPE_NONE => {}
        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR if Physical::IS_SHARED => {}
        CU_MEM_HANDLE_TYPE_WIN32 => return Err(INVALID),
        types if types.0 & CU_MEM_HANDLE_TYPE_FABRIC.0 != 0 => {
            return Err(CUDA_ERROR_NOT_PERMITTED);
        }
        _ => return Err(CUDA_ERROR_NOT_SUPPORTED),
    }
    Ok((device, prop.requestedHandleTypes))
}

/// The rights that a description gives.
fn rights(access: CUmemAccessDesc) -> Answer<(usize, Rights)> {
    let device = place(access.location, INVALID, INVALID)?;
    match access.flags {
        CU_MEM_ACCESS_FLAGS_PROT_NONE => Ok((device, Rights::None)),
        CU_MEM_ACCESS_FLAGS_PROT_READ => Ok((device, Rights::Read)),
        CU_MEM_ACCESS_FLAGS_PROT_READWRITE => Ok((device, Rights::ReadWrite)),
        _ => Err(INVALID),
    }
}

/// Whether sizes and addresses are what mappings take.
pub(super) fn aligned(numbers: &[u64]) -> Answer {
    let fine = numbers.iter().all(|number| number.is_multiple_of(GRANULARITY as u64));
    if fine { Ok(()) } else { Err(INVALID) }
}

driver! {
    /// What sizes and addresses have to be multiples of, for memory of whatever description.
    fn cuMemGetAllocationGranularity(
        granularity: *mut usize,
        prop: *const CUmemAllocationProp,
        option: CUmemAllocationGranularity_flags,
    ) [after_fault] {
        entry::wanted(granularity)?;
        entry::read(prop)?;
        let minimum = CU_MEM_ALLOC_GRANULARITY_MINIMUM;
        if ![minimum, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED].contains(&option) {
            return Err(INVALID);
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
        let base = state().space.addresses(size, alignment.max(GRANULARITY))?;
        sync::lock(&state().virtual_memory.inner).reserved.insert(base, Reserved { size, region });
        entry::write(ptr, base)
    }
    /// Gives a reserved range back, in which nothing may be mapped.
    fn cuMemAddressFree(ptr: CUdeviceptr, size: usize) [after_fault] {
        let mut inner = sync::lock(&state().virtual_memory.inner);
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
        entry::write(handle, sync::lock(&state().virtual_memory.inner).add(object))
    }
    /// Gives a handle back; the memory stays while it is mapped.
    fn cuMemRelease(handle: CUmemGenericAllocationHandle) [after_fault] {
        let mut inner = sync::lock(&state().virtual_memory.inner);
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
        let mut inner = sync::lock(&state().virtual_memory.inner);
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
        let inner = sync::lock(&state().virtual_memory.inner);
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
        let virtual_memory = &state().virtual_memory;
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
                state().space.map(life, ptr, (region.clone(), at), size).inspect_err(|_| {
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
        let mut inner = sync::lock(&state().virtual_memory.inner);
        let mut gone = Vec::new();
        for base in inner.inside(ptr, size)? {
            let Some(piece) = inner.mapped.get(&base) else { continue };
            if let Object::Memory(memory) = &piece.object {
                state().space.unmap(base)?;
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
        let mut inner = sync::lock(&state().virtual_memory.inner);
        let pieces = inner.filling(ptr, size)?;
        entry::wanted(desc)?;
        if count == 0 {
            return Err(INVALID);
        }
        let all = (0..count).map(|index| rights(entry::element(desc, index)?));
        for (device, rights) in all.collect::<Answer<Vec<_>>>()? {
            for base in &pieces {
                match inner.mapped.get_mut(base) {
                    Some(Piece { object: Object::Multicast(_), rights: all, .. }) => {
                        all[device] = rights;
                    }
                    _ => state().space.allow(*base, device, rights)?,
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
        let inner = sync::lock(&state().virtual_memory.inner);
        let Ok((base, piece)) = inner.at(ptr) else {
            state().space.find(ptr, 1)?;
            return entry::write(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE.0.into());
        };
        let rights = match piece.object {
            Object::Memory(_) => state().space.rights(base, device)?,
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
        let memory = sync::lock(&state().virtual_memory.inner).memory(handle)?.clone();
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
        entry::write(handle, sync::lock(&state().virtual_memory.inner).add(object))
    }
}
