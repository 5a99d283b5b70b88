//! How a running kernel reaches memory.

use crate::domain::Domain;
use crate::model::array::texture::SURFACES;
use crate::model::array::texture::TEXTURES;
use crate::model::life::Life;
use crate::model::memory::allocation::{Allocation, Kind, Rights};
use crate::model::memory::reach::touchable;
use crate::model::memory::space::SPACE;
use crate::model::memory::space::Snapshot;
use crate::model::memory::virtual_memory::VIRTUAL_MEMORY;
use crate::model::memory::watched::Watched;
use crate::model::numbers::Numbers;
use crate::{check, domain, race, schedule, sync};
use cuscope_ptx::run::{Fault, Image, Memory, Row, Texture, lanes, run_from};
use std::ops::Range;
use std::sync::Arc;

/// The memory that a kernel on a device may touch, as it was when the kernel started.
pub(crate) struct DeviceMemory<'n> {
    device: usize,
    memory: Snapshot,
    life: Arc<Life>,
    /// The domain that the work belongs to.
    domain: Arc<Domain>,
    /// The numbers that conditional nodes of its graph read.
    numbers: &'n Numbers,
}

impl<'n> DeviceMemory<'n> {
    /// The memory of a life's device as it is now.
    pub(crate) fn new(life: &Arc<Life>, numbers: &'n Numbers) -> Self {
        let (device, life) = (life.device, life.clone());
        let domain = domain::current().unwrap_or_else(|| life.domain.clone());
        Self { device, memory: SPACE.snapshot(device), life, domain, numbers }
    }

    /// Runs `f` on the memory; with a seed, notes what it touches, and checks it if that is asked for.
    pub(crate) fn noted<R>(&self, f: impl FnOnce(&dyn Memory) -> R) -> R {
        check::checked(self, |memory| self.noted_on(memory, f))
    }

    /// The same, without the check.
    fn noted_on<R>(&self, memory: &dyn Memory, f: impl FnOnce(&dyn Memory) -> R) -> R {
        if !schedule::on() {
            return f(memory);
        }
        let noted = race::Noted::default();
        let result = f(&Watched { memory, watch: &noted });
        let (touched, missed) = noted.finish();
        for (access, ranges) in touched {
            self.by_allocation(ranges, |base, ranges| race::touch_ranges(base, ranges, access));
        }
        if let Some(address) = missed {
            race::missed(address);
        }
        result
    }

    /// Runs `f` for each allocation with its base and the ranges in it. They are in order.
    fn by_allocation(&self, ranges: Vec<Range<u64>>, mut f: impl FnMut(u64, Vec<Range<u64>>)) {
        let mut of_one = (0, Vec::new());
        for mut range in ranges {
            while !range.is_empty() {
                let ranges = &self.memory.ranges;
                let index = ranges.partition_point(|&(base, _)| base <= range.start);
                let older = index.checked_sub(1).map(|index| ranges[index]);
                let older = older.filter(|&(_, end)| range.start < end);
                let newer = || SPACE.find_running(range.start, 1);
                let of = |one: Arc<Allocation>| (one.base, one.base + one.size as u64);
                // None if it was allocated and freed while the kernel ran.
                let Some((base, end)) = older.or_else(|| newer().map(of)) else { break };
                if base != of_one.0 && !of_one.1.is_empty() {
                    f(of_one.0, std::mem::take(&mut of_one.1));
                }
                of_one.0 = base;
                of_one.1.push(range.start..range.end.min(end));
                range.start = range.end.min(end);
            }
        }
        if !of_one.1.is_empty() {
            f(of_one.0, of_one.1);
        }
    }

    /// Whether a range holds `len` bytes at the address.
    #[inline]
    fn holds(&self, index: usize, address: u64, len: usize) -> bool {
        self.memory.ranges.get(index).is_some_and(|&(base, end)| {
            base <= address && address <= end && len as u64 <= end - address
        })
    }

    /// The index of the allocation that holds `len` bytes at the address, if it is an old one; the
    /// one that was found last is tried first.
    #[inline]
    fn find(&self, address: u64, len: usize, last: usize) -> Option<usize> {
        if self.holds(last, address, len) {
            return Some(last);
        }
        let ranges = &self.memory.ranges;
        let index = ranges.partition_point(|&(base, _)| base <= address).wrapping_sub(1);
        self.holds(index, address, len).then_some(index)
    }

    /// Runs `f` on the allocation that holds `len` bytes at the address.
    #[inline]
    fn with<R>(
        &self,
        address: u64,
        len: usize,
        last: &mut usize,
        f: impl FnOnce(&Allocation) -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        if !address.is_multiple_of((len as u64).max(1)) {
            return Err(Fault::MisalignedAddress);
        }
        let Some(index) = self.find(address, len, *last) else {
            return self.with_newer(address, len, f);
        };
        *last = index;
        let allocation = &self.memory.allocations[index];
        if allocation.gone() {
            return Err(Fault::IllegalAddress);
        }
        f(allocation)
    }

    /// The same for memory that was allocated since the kernel started.
    #[cold]
    fn with_newer<R>(
        &self,
        address: u64,
        len: usize,
        f: impl FnOnce(&Allocation) -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        let found = SPACE.find_running(address, len);
        let found = found.filter(|one| touchable(one, self.device));
        let found = found.ok_or(Fault::IllegalAddress)?;
        f(&found)
    }

    /// Runs `f`, which changes an allocation; one of the host only until the kernel is cut off, which
    /// ends it (F328).
    #[inline]
    fn change<R>(&self, allocation: &Allocation, f: impl FnOnce() -> R) -> Result<R, Fault> {
        if !allocation.storage.host {
            return Ok(f());
        }
        self.domain.with_host_memory(f).ok_or(Fault::CutOff)
    }
}

impl DeviceMemory<'_> {
    /// An allocation that holds so many bytes at the address, if it is an old one.
    #[inline]
    fn one(&self, address: u64, bytes: usize) -> Option<&Allocation> {
        let index = self.find(address, bytes, usize::MAX)?;
        Some(&*self.memory.allocations[index]).filter(|one| !one.gone())
    }

    /// Loads words of `N` bytes that lie one after the other.
    fn load_run_of<const N: usize>(&self, first: u64, out: &mut Row) -> Result<(), Fault> {
        match self.one(first, 32 * N) {
            Some(one) if one.storage.load_run::<N>(one.offset(first), out) => Ok(()),
            _ => self.load_words::<N>(&run_from(first, N), u32::MAX, out),
        }
    }

    /// Stores words likewise.
    fn store_run_of<const N: usize>(&self, first: u64, values: &Row) -> Result<(), Fault> {
        if let Some(one) = self.one(first, 32 * N)
            && one.rights(self.device) == Rights::ReadWrite
            && self.change(one, || one.storage.store_run::<N>(one.offset(first), values))?
        {
            return Ok(());
        }
        self.store_words::<N>(&run_from(first, N), u32::MAX, values)
    }

    /// Loads words of `N` bytes: with one check if all lanes' lie in the allocation of the first.
    fn load_words<const N: usize>(&self, at: &Row, mask: u32, out: &mut Row) -> Result<(), Fault> {
        if mask == u32::MAX
            && let Some(one) = self.one(at[0], N)
            && one.storage.load_row::<N>(one.base, at, out)
        {
            return Ok(());
        }
        let mut last = usize::MAX;
        lanes(mask).try_for_each(|lane| {
            self.with(at[lane], N, &mut last, |allocation| {
                let mut word = [0; 8];
                allocation.storage.load(allocation.offset(at[lane]), &mut word[..N]);
                out[lane] = u64::from_le_bytes(word);
                Ok(())
            })
        })
    }

    /// Stores words of `N` bytes likewise.
    fn store_words<const N: usize>(&self, at: &Row, mask: u32, values: &Row) -> Result<(), Fault> {
        if mask == u32::MAX
            && let Some(one) = self.one(at[0], N)
            && one.rights(self.device) == Rights::ReadWrite
            && self.change(one, || one.storage.store_row::<N>(one.base, at, values))?
        {
            return Ok(());
        }
        let mut last = usize::MAX;
        lanes(mask).try_for_each(|lane| {
            self.with(at[lane], N, &mut last, |allocation| {
                if allocation.rights(self.device) < Rights::ReadWrite {
                    return Err(Fault::IllegalAddress);
                }
                let offset = allocation.offset(at[lane]);
                let word = values[lane].to_le_bytes();
                self.change(allocation, || allocation.storage.store(offset, &word[..N]))
            })
        })
    }
}

impl Memory for DeviceMemory<'_> {
    fn load(&self, at: &Row, mask: u32, bytes: usize, out: &mut Row) -> Result<(), Fault> {
        match bytes {
            1 => self.load_words::<1>(at, mask, out),
            2 => self.load_words::<2>(at, mask, out),
            4 => self.load_words::<4>(at, mask, out),
            _ => self.load_words::<8>(at, mask, out),
        }
    }

    fn store(&self, at: &Row, mask: u32, bytes: usize, values: &Row) -> Result<(), Fault> {
        match bytes {
            1 => self.store_words::<1>(at, mask, values),
            2 => self.store_words::<2>(at, mask, values),
            4 => self.store_words::<4>(at, mask, values),
            _ => self.store_words::<8>(at, mask, values),
        }
    }

    fn load_run(&self, first: u64, bytes: usize, out: &mut Row) -> Result<(), Fault> {
        match bytes {
            1 => self.load_run_of::<1>(first, out),
            2 => self.load_run_of::<2>(first, out),
            4 => self.load_run_of::<4>(first, out),
            _ => self.load_run_of::<8>(first, out),
        }
    }

    fn store_run(&self, first: u64, bytes: usize, values: &Row) -> Result<(), Fault> {
        match bytes {
            1 => self.store_run_of::<1>(first, values),
            2 => self.store_run_of::<2>(first, values),
            4 => self.store_run_of::<4>(first, values),
            _ => self.store_run_of::<8>(first, values),
        }
    }

    fn atomic(
        &self,
        address: u64,
        bytes: usize,
        update: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> Result<u64, Fault> {
        let mut last = usize::MAX;
        self.with(address, bytes, &mut last, |allocation| {
            if allocation.rights(self.device) < Rights::ReadWrite {
                return Err(Fault::IllegalAddress);
            }
            let offset = allocation.offset(address);
            let old =
                self.change(allocation, || allocation.storage.atomic(offset, bytes, update))?;
            old.ok_or(Fault::MisalignedAddress)
        })
    }

    fn room(&self, address: u64) -> u64 {
        let room = |one: &Allocation| one.base + one.size as u64 - address;
        let newer = || SPACE.find_running(address, 1).filter(|one| touchable(one, self.device));
        self.one(address, 1).map(room).or_else(|| newer().map(|one| room(&one))).unwrap_or(0)
    }

    fn multicast(&self, address: u64, bytes: usize) -> Result<Vec<u64>, Fault> {
        let targets = VIRTUAL_MEMORY.multicast(self.device, address, bytes);
        targets.ok_or(Fault::IllegalAddress)
    }

    fn cut_off(&self) -> bool {
        self.domain.is_cut()
    }

    fn set_number(&self, handle: u64, value: u32) -> Result<(), Fault> {
        // F526
        if self.numbers.set(handle, value) { Ok(()) } else { Err(Fault::IllegalAddress) }
    }

    fn allocate(&self, bytes: u64) -> Option<u64> {
        let bytes = usize::try_from(bytes).ok()?.max(1);
        let room = sync::lock(&self.life.settings).limits.heap();
        if bytes > room {
            return None;
        }
        SPACE.allocate(&self.life, bytes, Kind::Heap).ok()
    }

    fn release(&self, address: u64) -> Result<(), Fault> {
        let space = &*SPACE;
        let one = space.exactly(address, Kind::Heap).map_err(|_| Fault::IllegalAddress)?;
        if space.retire(&one).is_ok() {
            space.take(&one);
        }
        Ok(())
    }

    fn texture(&self, handle: u64) -> Option<Arc<Texture>> {
        let texture = TEXTURES.get(usize::try_from(handle).ok()?)?;
        texture.life.alive().then(|| texture.seen.clone())
    }

    fn surface(&self, handle: u64) -> Option<Arc<Image>> {
        let surface = SURFACES.get(usize::try_from(handle).ok()?)?;
        surface.life.alive().then(|| surface.seen.clone())
    }
}
