//! Multicast objects: a range whose bytes are in the memory of several devices at once (F496).
//!
//! Only the instructions `multimem` reach a mapping of one. A bound memory has addresses of its own, which the program is
//! not told: what `multimem` does is done there, for each device.

use crate::entry::Answer;
use crate::model::device::{Device, all as device_list};
use crate::model::memory::allocation::Rights;
use crate::model::memory::physical::Physical;
use crate::model::memory::physical::Region;
use crate::model::memory::space::SPACE;
use crate::model::memory::virtual_memory::VIRTUAL_MEMORY;
use crate::model::memory::virtual_memory::{GRANULARITY, aligned};
use crate::sync;
use cuscope_sys::*;
use std::sync::{Arc, Mutex};

pub(crate) const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

/// Whether there are multicast objects: where there are several devices, and memory has several addresses.
pub(crate) fn is_there() -> bool {
    let has = |device: &Device| !device.lacks(CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED);
    is_possible() && device_list().iter().all(has)
}

/// Whether a device that does not lack them has multicast objects.
pub(crate) fn is_possible() -> bool {
    Physical::IS_SHARED && device_list().len() > 1
}

/// A multicast object.
pub(crate) struct Multicast {
    /// How many devices belong to it.
    pub(crate) team: usize,
    pub(crate) size: usize,
    pub(crate) inner: Mutex<Inner>,
}

#[derive(Default)]
pub(crate) struct Inner {
    /// The devices that were added.
    pub(crate) devices: Vec<usize>,
    pub(crate) bound: Vec<Bound>,
}

/// Memory that is bound.
pub(crate) struct Bound {
    /// Where it begins in the object, and its bytes there.
    pub(crate) at: usize,
    pub(crate) size: usize,
    pub(crate) memory: Arc<Physical>,
    region: Arc<Region>,
    /// The address of the memory, which the program is not told, and the offset in it.
    address: u64,
    from: usize,
}

impl Bound {
    /// Binds a part of memory, which gets addresses.
    fn new(at: usize, size: usize, memory: &Arc<Physical>, from: usize) -> Answer<Self> {
        let space = &*SPACE;
        let whole = memory.size;
        let region = Arc::new(Region::new(whole).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?);
        let address = space.addresses(whole, GRANULARITY)?;
        region.map(0, whole, memory)?;
        let lives = &VIRTUAL_MEMORY.lives;
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
        // Not there if it could not be added.
        let _gone = SPACE.unmap(self.address);
        self.region.unmap(0, self.memory.size, &self.memory);
    }
}

impl Multicast {
    /// Its size, once all devices were added. The driver would wait for that.
    pub(crate) fn size_of_team(&self) -> Answer<usize> {
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
    pub(crate) fn bind(
        &self,
        at: usize,
        memory: &Arc<Physical>,
        from: usize,
        size: usize,
    ) -> Answer {
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
