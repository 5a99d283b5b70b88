//! Virtual memory: ranges of addresses, physical memory, and what is mapped where with which access (F390–F399).
//! It works after a fault (F379).
#![allow(unsafe_code, reason = "the union of a place")]

use crate::entry::Answer;
use crate::model::device;
use crate::model::life::Life;
use crate::model::memory::allocation::Rights;
use crate::model::memory::multicast::Multicast;
use crate::model::memory::physical::Physical;
use crate::model::memory::physical::Region;
use crate::sync;
use cuscope_sys::*;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::sync::{Arc, Mutex};

/// The number that sizes and addresses are multiples of. Less under Miri, which takes long for each byte.
pub(crate) const GRANULARITY: usize = if cfg!(miri) { 1 << 16 } else { 2 << 20 };

pub(crate) const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

/// Reserved addresses, physical memory and mappings.
pub(crate) static VIRTUAL_MEMORY: LazyLock<VirtualMemory> =
    LazyLock::new(|| VirtualMemory::new(device::all().len()));

/// The virtual memory of the process.
pub(crate) struct VirtualMemory {
    /// In whose name memory is mapped: no context's, by device.
    pub(crate) lives: Vec<Arc<Life>>,
    pub(crate) inner: Mutex<Inner>,
}

#[derive(Default)]
pub(crate) struct Inner {
    /// Reserved ranges by their start.
    pub(crate) reserved: BTreeMap<u64, Reserved>,
    /// The mapped memory, by its address.
    pub(crate) mapped: BTreeMap<u64, Piece>,
    /// The mapped objects, by their handles, with the number of releases that each handle takes.
    pub(crate) handles: BTreeMap<u64, (Object, usize)>,
    last_handle: u64,
}

pub(crate) struct Reserved {
    pub(crate) size: usize,
    pub(crate) region: Arc<Region>,
}

/// The object that a handle stands for.
#[derive(Clone)]
pub(crate) enum Object {
    Memory(Arc<Physical>),
    Multicast(Arc<Multicast>),
}

/// A mapping.
pub(crate) struct Piece {
    pub(crate) size: usize,
    /// The start of the reserved range.
    pub(crate) within: u64,
    pub(crate) handle: u64,
    pub(crate) object: Object,
    /// Of a multicast object: the access of each device. That to memory is in the address space.
    pub(crate) rights: Vec<Rights>,
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
    pub(crate) fn add(&mut self, object: Object) -> u64 {
        self.last_handle += 1;
        self.handles.insert(self.last_handle, (object, 1));
        self.last_handle
    }

    /// Returns the object that a handle stands for.
    pub(crate) fn object(&self, handle: u64) -> Answer<&Object> {
        self.handles.get(&handle).map(|(object, _)| object).ok_or(INVALID)
    }

    /// The physical memory of a handle.
    pub(crate) fn memory(&self, handle: u64) -> Answer<&Arc<Physical>> {
        match self.object(handle)? {
            Object::Memory(memory) => Ok(memory),
            Object::Multicast(_) => Err(INVALID),
        }
    }

    /// The multicast object of a handle.
    pub(crate) fn multicast(&self, handle: u64) -> Answer<&Arc<Multicast>> {
        match self.object(handle)? {
            Object::Multicast(object) => Ok(object),
            Object::Memory(_) => Err(INVALID),
        }
    }

    /// The physical memory that is mapped at an address, and the offset of that in it.
    pub(crate) fn mapped_at(&self, address: u64) -> Answer<(&Arc<Physical>, usize)> {
        let (base, piece) = self.at(address)?;
        match &piece.object {
            Object::Memory(memory) => Ok((memory, (address - base) as usize)),
            Object::Multicast(_) => Err(INVALID),
        }
    }

    /// The mapping that an address lies in.
    pub(crate) fn at(&self, address: u64) -> Answer<(u64, &Piece)> {
        let (&base, piece) = self.mapped.range(..=address).next_back().ok_or(INVALID)?;
        if address - base < piece.size as u64 { Ok((base, piece)) } else { Err(INVALID) }
    }

    /// The addresses of the mappings that fill a range, whole ones and without a gap.
    pub(crate) fn filling(&self, address: u64, size: usize) -> Answer<Vec<u64>> {
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
    pub(crate) fn inside(&self, address: u64, size: usize) -> Answer<Vec<u64>> {
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
    pub(crate) fn holding(&self, address: u64, size: usize) -> Answer<u64> {
        let (&start, reserved) = self.reserved.range(..=address).next_back().ok_or(INVALID)?;
        let offset = (address - start) as usize;
        let holds = offset <= reserved.size && size <= reserved.size - offset;
        if holds { Ok(start) } else { Err(INVALID) }
    }
}

/// The device that a place is; `none` for what is no place, and `no_device` for an ordinal that is none.
pub(crate) fn place(location: CUmemLocation, none: CUresult, no_device: CUresult) -> Answer<usize> {
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

/// The rights that a description gives.
pub(crate) fn rights(access: CUmemAccessDesc) -> Answer<(usize, Rights)> {
    let device = place(access.location, INVALID, INVALID)?;
    match access.flags {
        CU_MEM_ACCESS_FLAGS_PROT_NONE => Ok((device, Rights::None)),
        CU_MEM_ACCESS_FLAGS_PROT_READ => Ok((device, Rights::Read)),
        CU_MEM_ACCESS_FLAGS_PROT_READWRITE => Ok((device, Rights::ReadWrite)),
        _ => Err(INVALID),
    }
}

/// Whether sizes and addresses are what mappings take.
pub(crate) fn aligned(numbers: &[u64]) -> Answer {
    let fine = numbers.iter().all(|number| number.is_multiple_of(GRANULARITY as u64));
    if fine { Ok(()) } else { Err(INVALID) }
}
