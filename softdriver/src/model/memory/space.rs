//! The address space: one for all devices, with addresses that no host pointer has.

use crate::conditions;
use crate::entry::Answer;
use crate::model::device;
use crate::model::device::TOTAL_MEMORY;
use crate::model::life::Life;
use crate::model::memory::allocation::{Allocation, Event, GRANULE, Kind, Rights, cost, tell};
use crate::model::memory::physical::Region;
use crate::model::memory::pool::Pool;
use crate::model::memory::reach::touchable;
use crate::model::memory::shared::Shared;
use crate::model::memory::storage::Storage;
use crate::sync;
use core::ffi::c_uint;
use cuscope_sys::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, LazyLock, RwLock};

/// The first address: beyond what a program can map, and within what a device can address.
const FIRST: u64 = 1 << 48;
/// Allocations of so many bytes and more start at multiples of it (F649).
const LARGE: u64 = 2 << 20;
/// Addresses end here.
const LAST: u64 = 1 << 56;

const OUT_OF_MEMORY: CUresult = CUDA_ERROR_OUT_OF_MEMORY;

/// The memory in use.
pub(crate) struct Usage {
    pub(crate) allocations: usize,
    pub(crate) external_mappings: usize,
    pub(crate) bytes: usize,
    pub(crate) host_allocations: usize,
    pub(crate) registrations: usize,
}

/// Allocations in the order of their addresses.
#[derive(Clone)]
pub(crate) struct Snapshot {
    /// The first address of each and the one after it.
    pub(crate) ranges: Arc<[(u64, u64)]>,
    pub(crate) allocations: Arc<[Arc<Allocation>]>,
}

/// The memory of all devices.
pub(crate) static SPACE: LazyLock<Space> = LazyLock::new(|| Space::new(device::all().len()));

/// The address space.
pub(crate) struct Space {
    inner: RwLock<Inner>,
}

struct Inner {
    allocations: BTreeMap<u64, Arc<Allocation>>,
    /// Addresses are not used again, so that a dangling one is noticed.
    next: u64,
    /// Bytes in use, by device.
    used: Vec<usize>,
    /// The memory that a kernel on a device may touch, by device; forgotten at every change.
    snapshots: Vec<Option<Snapshot>>,
}

impl Inner {
    /// Adds an allocation, and what it takes.
    fn insert(&mut self, allocation: Allocation) -> Answer {
        let device = allocation.life.device;
        let used = self.used[device] + allocation.cost();
        // Where the program unmapped memory that is registered, the system may have mapped this.
        let taken = self.allocations.contains_key(&allocation.base);
        if used > conditions::memory(TOTAL_MEMORY) || taken {
            return Err(CUDA_ERROR_OUT_OF_MEMORY);
        }
        self.used[device] = used;
        self.snapshots.fill(None);
        tell(&allocation, Event::Allocated);
        self.allocations.insert(allocation.base, Arc::new(allocation));
        Ok(())
    }
}

impl Inner {
    /// Several mappings side by side in one reserved range, from the first one on, which hold `len` bytes at the
    /// address. The access to it is the least access to one of them.
    fn joined(&self, first: &Arc<Allocation>, address: u64, len: usize) -> Option<Allocation> {
        let (region, place) = first.storage.region()?;
        let (mut end, mut pieces) = (first.base, Vec::new());
        let mut rights = vec![Rights::ReadWrite; self.used.len()];
        for one in self.allocations.range(first.base..).map(|(_, one)| one) {
            let beside = one.storage.region().is_some_and(|(other, _)| Arc::ptr_eq(other, region));
            if one.base != end || !beside || !one.live() {
                return None;
            }
            end += one.size as u64;
            pieces.push((one.base, end));
            for (device, rights) in rights.iter_mut().enumerate() {
                *rights = one.rights(device).min(*rights);
            }
            if end.checked_sub(address).is_some_and(|rest| len as u64 <= rest) {
                break;
            }
        }
        let size = (end - first.base) as usize;
        let storage = Storage::mapped((region.clone(), place), size);
        let life = &first.life;
        let mut all = Allocation::new(first.base, size, Kind::Mapped, life, storage, 0, None);
        all.rights = rights.into_iter().map(|one| AtomicU8::new(one as u8)).collect();
        all.pieces = pieces.into();
        all.holds(address, len).then_some(all)
    }
}

impl Space {
    pub(crate) fn new(devices: usize) -> Self {
        Self {
            inner: RwLock::new(Inner {
                allocations: BTreeMap::new(),
                next: FIRST,
                used: vec![0; devices],
                snapshots: vec![None; devices],
            }),
        }
    }

    /// Allocates memory on the device of a life.
    pub(crate) fn allocate(&self, life: &Arc<Life>, size: usize, kind: Kind) -> Answer<u64> {
        self.allocate_with(life, size, kind, 0, None)
    }

    /// The same, with flags of host memory or from a pool, which has room for it.
    pub(crate) fn allocate_with(
        &self,
        life: &Arc<Life>,
        size: usize,
        kind: Kind,
        flags: c_uint,
        pool: Option<Arc<Pool>>,
    ) -> Answer<u64> {
        let free = conditions::memory(TOTAL_MEMORY).saturating_sub(self.used(life.device));
        if kind != Kind::Host && pool.is_none() && size.max(1) > free {
            return Err(CUDA_ERROR_OUT_OF_MEMORY);
        }
        let storage = match kind {
            _ if kind.is_mapped() => Storage::host(size),
            _ => Storage::device(size),
        };
        let storage = storage.ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let mut inner = sync::write(&self.inner);
        let base = match kind {
            _ if kind.is_mapped() => storage.start().expose_provenance() as u64,
            _ => inner.next.next_multiple_of(if size as u64 >= LARGE { LARGE } else { GRANULE }),
        };
        let allocation = Allocation::new(base, size, kind, life, storage, flags, pool);
        inner.insert(allocation)?;
        if !kind.is_mapped() {
            inner.next = base + cost(size) as u64 + GRANULE;
        }
        Ok(base)
    }

    /// Registers memory of the program; 712 if some of it is page-locked already, in whatever context
    /// (F66).
    pub(crate) fn register(
        &self,
        life: &Arc<Life>,
        start: *mut u8,
        size: usize,
        flags: c_uint,
    ) -> Answer {
        let base = start.expose_provenance() as u64;
        let read_only = flags & CU_MEMHOSTREGISTER_READ_ONLY != 0;
        let storage = Storage::registered(start, size, read_only);
        let storage = storage.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let mut inner = sync::write(&self.inner);
        let last = inner.allocations.range(..base + size as u64).next_back();
        if let Some((_, other)) = last.filter(|(_, other)| other.base + other.size as u64 > base) {
            let registered = other.kind == Kind::Registered;
            let again = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
            return Err(if registered { again } else { CUDA_ERROR_INVALID_VALUE });
        }
        let kind = Kind::Registered;
        inner.insert(Allocation::new(base, size, kind, life, storage, flags, None))
    }

    /// Notes that kernels may touch other memory from now on.
    pub(crate) fn changed(&self) {
        sync::write(&self.inner).snapshots.fill(None);
    }

    /// Takes memory of a device for a pool; OUT_OF_MEMORY if there is less.
    pub(crate) fn reserve(&self, device: usize, bytes: usize) -> Answer {
        let used = &mut sync::write(&self.inner).used[device];
        if bytes > conditions::memory(TOTAL_MEMORY).saturating_sub(*used) {
            return Err(CUDA_ERROR_OUT_OF_MEMORY);
        }
        *used += bytes;
        Ok(())
    }

    /// Gives memory of a pool back.
    pub(crate) fn give_back(&self, device: usize, bytes: usize) {
        sync::write(&self.inner).used[device] -= bytes;
    }

    /// The allocation that holds `len` bytes at the address; INVALID_VALUE without one.
    pub(crate) fn find(&self, address: u64, len: usize) -> Answer<Arc<Allocation>> {
        let found = self.find_running(address, len).filter(|one| one.live() && one.reachable());
        found.ok_or(CUDA_ERROR_INVALID_VALUE)
    }

    /// The allocation that an address is in, whether some device has access to it or not; INVALID_VALUE without one.
    pub(crate) fn find_told(&self, address: u64) -> Answer<Arc<Allocation>> {
        let found = self.find_running(address, 1).filter(|one| one.live());
        found.ok_or(CUDA_ERROR_INVALID_VALUE)
    }

    /// The same for work that runs: what is being freed after it is still there.
    pub(crate) fn find_running(&self, address: u64, len: usize) -> Option<Arc<Allocation>> {
        self.at_or_below(address, len).filter(|one| one.kind != Kind::Graph || one.live())
    }

    /// The same for what a graph may name: what its nodes allocate is not there yet. INVALID_VALUE without
    /// one.
    pub(crate) fn find_for_graph(&self, address: u64, len: usize) -> Answer<Arc<Allocation>> {
        let found = self.at_or_below(address, len);
        let found = found.filter(|one| one.kind == Kind::Graph || one.live());
        found.ok_or(CUDA_ERROR_INVALID_VALUE)
    }

    /// The allocation for a call: [`find`](Self::find), or if that is captured, [`find_for_graph`](Self::find_for_graph).
    pub(crate) fn find_for(
        &self,
        captured: bool,
        address: u64,
        len: usize,
    ) -> Answer<Arc<Allocation>> {
        if captured { self.find_for_graph(address, len) } else { self.find(address, len) }
    }

    /// The allocation that holds `len` bytes at the address, whether it is there or not.
    fn at_or_below(&self, address: u64, len: usize) -> Option<Arc<Allocation>> {
        let inner = sync::read(&self.inner);
        let below = inner.allocations.range(..=address).next_back().map(|(_, one)| one);
        match below? {
            one if one.holds(address, len) => Some(one.clone()),
            one if one.kind == Kind::Mapped => inner.joined(one, address, len).map(Arc::new),
            _ => None,
        }
    }

    /// Adds a part of memory of others, which is aligned as it is there, maybe as memory of a pool.
    pub(crate) fn open(
        &self,
        life: &Arc<Life>,
        kind: Kind,
        memory: Shared,
        offset: usize,
        size: usize,
        pool: Option<Arc<Pool>>,
    ) -> Answer<u64> {
        let place = offset % GRANULE as usize;
        let base = self.addresses(cost(size + place), GRANULE as usize)? + place as u64;
        let storage = Storage::opened(memory, offset, size);
        let new = Allocation::new(base, size, kind, life, storage, 0, pool);
        sync::write(&self.inner).insert(new)?;
        Ok(base)
    }

    /// Adds memory that is lent: an object of graphics, while it is mapped.
    pub(crate) fn lend(
        &self,
        life: &Arc<Life>,
        kind: Kind,
        memory: &Arc<Storage>,
        offset: usize,
        size: usize,
    ) -> Answer<u64> {
        let base = self.addresses(cost(size), GRANULE as usize)?;
        let storage = Storage::lent(memory, offset, size);
        sync::write(&self.inner)
            .insert(Allocation::new(base, size, kind, life, storage, 0, None))?;
        Ok(base)
    }

    /// Addresses for a reserved range.
    pub(crate) fn addresses(&self, size: usize, alignment: usize) -> Answer<u64> {
        let mut inner = sync::write(&self.inner);
        let base = inner.next.checked_next_multiple_of(alignment as u64);
        let next = base.and_then(|base| base.checked_add(size as u64 + GRANULE));
        let (base, next) = base.zip(next).filter(|(_, next)| *next <= LAST).ok_or(OUT_OF_MEMORY)?;
        inner.next = next;
        Ok(base)
    }

    /// Adds memory that is mapped into a range, to which no device has access.
    pub(crate) fn map(
        &self,
        life: &Arc<Life>,
        base: u64,
        place: (Arc<Region>, usize),
        size: usize,
    ) -> Answer {
        let mut inner = sync::write(&self.inner);
        let storage = Storage::mapped(place, size);
        let mut new = Allocation::new(base, size, Kind::Mapped, life, storage, 0, None);
        new.rights = inner.used.iter().map(|_| AtomicU8::new(Rights::None as u8)).collect();
        inner.insert(new)
    }

    /// The memory that is mapped at an address.
    fn mapped(&self, base: u64) -> Answer<Arc<Allocation>> {
        self.exactly(base, Kind::Mapped)
    }

    /// Takes it out. What runs may still hold it.
    pub(crate) fn unmap(&self, base: u64) -> Answer {
        let one = self.mapped(base)?;
        self.retire(&one)?;
        self.take(&one);
        Ok(())
    }

    /// Gives a device another access to what is mapped at an address.
    pub(crate) fn allow(&self, base: u64, device: usize, rights: Rights) -> Answer {
        self.mapped(base)?.allow(device, rights);
        self.changed();
        Ok(())
    }

    /// The access of a device to what is mapped at an address.
    pub(crate) fn rights(&self, base: u64, device: usize) -> Answer<Rights> {
        Ok(self.mapped(base)?.rights(device))
    }

    /// The allocation that starts at the address.
    pub(crate) fn at(&self, base: u64) -> Option<Arc<Allocation>> {
        sync::read(&self.inner).allocations.get(&base).cloned()
    }

    /// The allocation that starts at the address and is of the kind; INVALID_VALUE without one.
    pub(crate) fn exactly(&self, base: u64, kind: Kind) -> Answer<Arc<Allocation>> {
        let inner = sync::read(&self.inner);
        let found = inner.allocations.get(&base).filter(|one| one.live() && one.kind == kind);
        found.cloned().ok_or(CUDA_ERROR_INVALID_VALUE)
    }

    /// Marks an allocation as freed; INVALID_VALUE if it was. [`Space::take`] has to follow.
    pub(crate) fn retire(&self, allocation: &Allocation) -> Answer {
        let was = allocation.live.swap(false, Ordering::AcqRel);
        if was { Ok(()) } else { Err(CUDA_ERROR_INVALID_VALUE) }
    }

    /// Takes a retired allocation out. What runs may still hold it.
    pub(crate) fn take(&self, allocation: &Allocation) {
        tell(allocation, Event::Freed);
        allocation.gone.store(true, Ordering::Release);
        let mut inner = sync::write(&self.inner);
        let taken = inner.allocations.remove(&allocation.base);
        inner.used[allocation.life.device] -= allocation.cost();
        inner.snapshots.fill(None);
        drop(inner);
        drop(taken);
    }

    /// Frees everything of a life (F42, F102), but for what is a pool's (F175), and gives it.
    pub(crate) fn free_all(&self, life: &Life) -> Vec<Arc<Allocation>> {
        let inner = sync::read(&self.inner);
        let all = inner.allocations.values();
        let all =
            all.filter(|one| life.is(&one.life) && one.pool.is_none() && one.kind != Kind::Graph);
        let all: Vec<_> = all.cloned().collect();
        drop(inner);
        let mut freed = Vec::new();
        for allocation in all {
            if self.retire(&allocation).is_ok() {
                self.take(&allocation);
                freed.push(allocation);
            }
        }
        freed
    }

    /// Returns the memory that a kernel on a device may touch: the device's, and page-locked host memory.
    pub(crate) fn snapshot(&self, device: usize) -> Snapshot {
        if let Some(snapshot) = &sync::read(&self.inner).snapshots[device] {
            return snapshot.clone();
        }
        let mut inner = sync::write(&self.inner);
        let touchable = |one: &&Arc<Allocation>| touchable(one, device);
        let allocations: Arc<[_]> = inner.allocations.values().filter(touchable).cloned().collect();
        let range = |one: &Arc<Allocation>| (one.base, one.base + one.size as u64);
        let snapshot = Snapshot { ranges: allocations.iter().map(range).collect(), allocations };
        inner.snapshots[device] = Some(snapshot.clone());
        snapshot
    }

    /// Bytes in use on a device.
    pub(crate) fn used(&self, device: usize) -> usize {
        sync::read(&self.inner).used[device]
    }

    /// Where an address is that is in no allocation, for a report.
    pub(crate) fn beside(&self, address: u64) -> String {
        let inner = sync::read(&self.inner);
        let before = inner.allocations.range(..=address).next_back().map(|(_, one)| &**one);
        let after = inner.allocations.range(address..).next().map(|(_, one)| &**one);
        let end = |one: &Allocation| one.base + one.size as u64;
        let far = |distance: u64| distance < 1 << 32;
        match (before, after) {
            (Some(one), _) if address < end(one) => {
                let (at, size) = (address - one.base, one.size);
                format!(
                    "{at} bytes into the allocation {:#x} of {size} bytes, which does not allow it",
                    one.base
                )
            }
            (Some(one), after)
                if far(address - end(one))
                    && after.is_none_or(|next| next.base - address > address - end(one)) =>
            {
                let (at, size) = (address - end(one), one.size);
                format!("{at} bytes behind the allocation {:#x} of {size} bytes", one.base)
            }
            (_, Some(one)) if far(one.base - address) => {
                let (at, size) = (one.base - address, one.size);
                format!("{at} bytes before the allocation {:#x} of {size} bytes", one.base)
            }
            _ => "near no allocation".to_owned(),
        }
    }

    /// The allocations that a program made and did not free.
    pub(crate) fn left(&self) -> Vec<Arc<Allocation>> {
        let inner = sync::read(&self.inner);
        let all = inner.allocations.values();
        all.filter(|one| one.live() && !one.kind.is_variable()).cloned().collect()
    }

    /// Counts what is in use.
    pub(crate) fn usage(&self) -> Usage {
        let inner = sync::read(&self.inner);
        let of =
            |kind| inner.allocations.values().filter(move |one| one.live() && one.kind == kind);
        Usage {
            allocations: of(Kind::Device).chain(of(Kind::Managed)).count(),
            external_mappings: of(Kind::External).count(),
            bytes: of(Kind::Device).chain(of(Kind::Managed)).map(|one| one.size).sum(),
            host_allocations: of(Kind::Host).chain(of(Kind::HostPool)).count(),
            registrations: of(Kind::Registered).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_aligned_apart_and_bounded() {
        let space = Space::new(2);
        let life = Life::new(1, 0x10);
        let a = space.allocate(&life, 100, Kind::Device).unwrap();
        let b = space.allocate(&life, 512, Kind::Device).unwrap();
        assert_eq!((a % GRANULE, b % GRANULE), (0, 0));
        assert!(b >= a + 512 + GRANULE);
        assert!(space.find(a, 100).is_ok() && space.find(a + 40, 60).is_ok());
        assert!(space.find(a + 100, 0).is_ok());
        for (address, len) in [(a, 101), (a - 1, 1), (a + 100, 1), (a + 600, 1), (0, 1)] {
            assert_eq!(space.find(address, len).err(), Some(CUDA_ERROR_INVALID_VALUE));
        }
        assert_eq!(space.used(0), 0);
        assert_eq!(space.used(1), 1024);
        assert_eq!(space.snapshot(1).allocations.len(), 2);
        assert_eq!(space.snapshot(0).allocations.len(), 0);
    }

    #[test]
    fn freed_memory_is_gone_for_new_users_and_stays_for_old_ones() {
        let space = Space::new(1);
        let life = Life::new(0, 0x10);
        let a = space.allocate(&life, 8, Kind::Device).unwrap();
        let held = space.exactly(a, Kind::Device).unwrap();
        assert!(space.exactly(a + 1, Kind::Device).is_err());
        assert!(space.exactly(a, Kind::Host).is_err());
        space.retire(&held).unwrap();
        assert!(space.retire(&held).is_err());
        space.take(&held);
        assert!(space.find(a, 1).is_err());
        held.storage.store(0, &[1; 8]);
        assert_eq!(space.used(0), 0);
        assert_ne!(space.allocate(&life, 8, Kind::Device).unwrap(), a);
    }

    #[test]
    fn memory_runs_out_and_a_life_takes_its_memory_along() {
        let space = Space::new(1);
        let life = Life::new(0, 0x10);
        let kind = Kind::Device;
        assert_eq!(space.allocate(&life, 1 << 50, kind), Err(CUDA_ERROR_OUT_OF_MEMORY));
        let host = space.allocate(&life, 5000, Kind::Host).unwrap();
        let device = space.allocate(&life, TOTAL_MEMORY / 2, kind).unwrap();
        assert_eq!(space.allocate(&life, TOTAL_MEMORY, kind), Err(CUDA_ERROR_OUT_OF_MEMORY));
        assert_eq!(space.usage().host_allocations, 1);
        space.free_all(&life);
        assert!(space.find(host, 1).is_err() && space.find(device, 1).is_err());
        assert_eq!(space.used(0), 0);
    }
}
