//! Pools: memory of a device, or of the host, that is kept for stream-ordered allocations (F170–F177, F343, F344,
//! F450–F454).

use crate::entry::Answer;
use crate::model::device;
use crate::model::device::all as device_list;
use crate::model::memory::allocation::{Kind, cost};
use crate::model::memory::shared;
use crate::model::memory::shared::Named;
use crate::model::memory::shared::Told;
use crate::model::memory::space::SPACE;
use crate::registry::Registry;
use crate::sync;
use cuscope_sys::*;
use std::ffi::c_int;
use std::sync::LazyLock;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A pool takes memory of its device in pieces of this size.
const CHUNK: usize = 32 << 20;

/// Where the memory of a pool is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// On the device with this ordinal.
    Device(usize),
    Host,
    /// On the one NUMA node that the host has.
    Node,
}

impl Place {
    /// The ordinal of its device.
    pub(crate) fn device(self) -> Option<usize> {
        match self {
            Place::Device(device) => Some(device),
            Place::Host | Place::Node => None,
        }
    }
}

/// All pools.
pub(crate) struct Pools {
    pub(crate) all: Registry<Pool>,
    /// Those of them that the devices have from the start, and after these the host and its NUMA node.
    pub(crate) first: Vec<usize>,
    /// The handles of the pools that were set last for the host and its NUMA node; 0 if none was.
    pub(crate) host: [AtomicUsize; 2],
}

/// The pools of the process.
pub(crate) static POOLS: LazyLock<Pools> = LazyLock::new(|| {
    let all = Registry::new(0x49);
    let first = |place| all.insert(|handle| Pool::new(handle, place, 0)).0;
    let places = (0..device::all().len()).map(Place::Device).chain([Place::Host, Place::Node]);
    let first = places.map(first).collect();
    Pools { all, first, host: Default::default() }
});

/// A pool.
pub(crate) struct Pool {
    pub(crate) handle: usize,
    pub(crate) place: Place,
    /// Bytes at most.
    max: usize,
    /// A bit for each device that has access. There are at most 64.
    open: AtomicU64,
    /// Of a pool that goes to other processes.
    file: Option<PoolFile>,
    /// Whether a descriptor was made for other processes (F443).
    exported: AtomicBool,
    /// Whether another process created it, which alone allocates from it.
    pub(crate) imported: bool,
    /// Of an imported pool: what was imported of it, and where.
    opened: Mutex<Vec<(Told, u64)>>,
    state: Mutex<State>,
}

/// How other processes know a pool: by a file in memory, with a number in its name that no other pool has.
pub(crate) struct PoolFile {
    pub(crate) device: usize,
    pub(crate) number: u64,
    file: Named,
}

impl PoolFile {
    /// The start of the name of such a file; the number of the device in the machine, and that of the file follow.
    const NAME: &str = "pool-";

    /// For a new pool.
    pub(crate) fn new(device: usize) -> Answer<Self> {
        let number = shared::number();
        let name = device_list()[device].number;
        let file = Named::of_size(&format!("{}{name}-{number}", Self::NAME), 0)?;
        Ok(Self { device, number, file })
    }

    /// That of a descriptor, which stays the caller's.
    pub(crate) fn import(descriptor: c_int) -> Answer<Self> {
        let (file, name) = Named::import(descriptor, Self::NAME)?;
        let parts = name
            .split_once('-')
            .and_then(|(device, number)| Some((device.parse().ok()?, number.parse().ok()?)));
        let (device, number) = parts.ok_or(CUDA_ERROR_UNKNOWN)?;
        let device = device::numbered(device)?.ordinal;
        Ok(Self { device, number, file })
    }
}

/// The bit of a device.
fn bit(device: usize) -> u64 {
    1_u64.checked_shl(device as u32).unwrap_or(0)
}

/// The part of a pool that changes.
#[derive(Clone, Copy, Default)]
struct State {
    /// Whether memory is used again along events, by chance, and with new dependencies.
    reuse: [bool; 3],
    /// Bytes that a wait leaves reserved.
    threshold: u64,
    reserved: usize,
    reserved_high: usize,
    /// Bytes that were asked for and not freed yet.
    used: usize,
    used_high: usize,
    /// Memory that cannot be given back: it is in use, or a stream has not come to free it yet.
    held: usize,
}

impl Pool {
    pub(crate) fn new(handle: usize, place: Place, max: usize) -> Self {
        let max = if max == 0 { usize::MAX } else { max };
        let start = State { reuse: [true; 3], ..State::default() };
        let (open, state) = (AtomicU64::new(place.device().map_or(0, bit)), Mutex::new(start));
        let (file, imported, opened) = (None, false, Mutex::default());
        let exported = AtomicBool::new(false);
        Self { handle, place, max, open, file, exported, imported, opened, state }
    }

    /// A pool that other processes know too.
    pub(crate) fn shared(handle: usize, file: PoolFile, max: usize, imported: bool) -> Self {
        let pool = Self::new(handle, Place::Device(file.device), max);
        Self { imported, file: Some(file), ..pool }
    }

    /// The address of an allocation of an imported pool: the same one as long as it is not freed.
    pub(crate) fn opened(&self, told: Told, open: impl FnOnce() -> Answer<u64>) -> Answer<u64> {
        let mut opened = sync::lock(&self.opened);
        opened.retain(|&(_, base)| SPACE.exactly(base, Kind::Device).is_ok());
        if let Some(&(_, base)) = opened.iter().find(|(one, _)| *one == told) {
            return Ok(base);
        }
        let base = open()?;
        opened.push((told, base));
        Ok(base)
    }

    /// Whether something that was imported of it is not freed.
    pub(crate) fn has_opened(&self) -> bool {
        let there = |&(_, base): &(Told, u64)| SPACE.exactly(base, Kind::Device).is_ok();
        sync::lock(&self.opened).iter().any(there)
    }

    /// A descriptor by which another process gets it; INVALID_VALUE if it was not created for that.
    pub(crate) fn export(&self) -> Answer<c_int> {
        let file = self.file.as_ref().filter(|_| !self.imported);
        let descriptor = file.ok_or(CUDA_ERROR_INVALID_VALUE)?.file.export()?;
        self.exported.store(true, Ordering::Release);
        Ok(descriptor)
    }

    /// Whether its memory can be described to other processes: once it was exported (F443).
    pub(crate) fn is_exported(&self) -> bool {
        self.exported.load(Ordering::Acquire)
    }

    /// Whether other processes can get it from this one.
    pub(crate) fn is_shareable(&self) -> bool {
        self.file.is_some() && !self.imported
    }

    /// The number by which other processes know it.
    pub(crate) fn number(&self) -> Option<u64> {
        self.file.as_ref().map(|file| file.number)
    }

    /// Whether a device has access to its memory.
    pub(crate) fn is_open_to(&self, device: usize) -> bool {
        self.open.load(Ordering::Acquire) & bit(device) != 0
    }

    /// Gives a device access to all its memory, or takes it.
    pub(crate) fn set_open(&self, device: usize, open: bool) {
        if open {
            self.open.fetch_or(bit(device), Ordering::AcqRel);
        } else {
            self.open.fetch_and(!bit(device), Ordering::AcqRel);
        }
    }

    /// INVALID_VALUE for the pool of another process, which has no attributes here and gives no memory (F442).
    pub(crate) fn own(&self) -> Answer {
        if self.imported { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(()) }
    }

    /// Makes room for an allocation.
    pub(crate) fn take(&self, size: usize) -> Answer {
        let mut now = sync::lock(&self.state);
        let Some(held) = size.checked_add(now.held + CHUNK).map(|_| now.held + cost(size)) else {
            return Err(CUDA_ERROR_OUT_OF_MEMORY);
        };
        let wanted = held.next_multiple_of(CHUNK);
        if held > self.max {
            return Err(CUDA_ERROR_OUT_OF_MEMORY);
        }
        if wanted > now.reserved {
            if let Some(device) = self.place.device() {
                SPACE.reserve(device, wanted - now.reserved)?;
            }
            now.reserved = wanted;
        }
        now.held = held;
        now.used += size;
        now.reserved_high = now.reserved_high.max(now.reserved);
        now.used_high = now.used_high.max(now.used);
        Ok(())
    }

    /// Counts an allocation as freed, from the call on.
    pub(crate) fn unused(&self, size: usize) {
        if !self.imported {
            sync::lock(&self.state).used -= size;
        }
    }

    /// Makes the memory that an allocation took usable for another one.
    pub(crate) fn let_go(&self, size: usize) {
        if self.imported {
            return;
        }
        sync::lock(&self.state).held -= cost(size);
        if POOLS.all.get(self.handle).is_none() {
            self.trim(0);
        }
    }

    /// Gives back what is not in use, down to so many bytes.
    pub(crate) fn trim(&self, keep: u64) {
        let mut now = sync::lock(&self.state);
        let keep = usize::try_from(keep).unwrap_or(usize::MAX).min(now.reserved).max(now.held);
        let left = keep.next_multiple_of(CHUNK).min(now.reserved);
        if let Some(device) = self.place.device() {
            SPACE.give_back(device, now.reserved - left);
        }
        now.reserved = left;
    }

    /// Gives back what is not in use over the threshold.
    pub(crate) fn trim_to_threshold(&self) {
        let keep = sync::lock(&self.state).threshold;
        self.trim(keep);
    }

    /// An attribute: a number of 32 bits, or of 64.
    pub(crate) fn attribute(&self, attribute: CUmemPool_attribute) -> Answer<Value> {
        self.own()?;
        let now = *sync::lock(&self.state);
        Ok(match attribute {
            CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES => Value::Flag(now.reuse[0]),
            CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC => Value::Flag(now.reuse[1]),
            CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES => Value::Flag(now.reuse[2]),
            CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => Value::Bytes(now.threshold),
            CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT => Value::Bytes(now.reserved as u64),
            CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH => Value::Bytes(now.reserved_high as u64),
            CU_MEMPOOL_ATTR_USED_MEM_CURRENT => Value::Bytes(now.used as u64),
            CU_MEMPOOL_ATTR_USED_MEM_HIGH => Value::Bytes(now.used_high as u64),
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        })
    }

    /// Sets an attribute. The high marks can be set to 0 only, which is what is current (F171).
    pub(crate) fn set(&self, attribute: CUmemPool_attribute, value: Value) -> Answer {
        self.own()?;
        let mut now = sync::lock(&self.state);
        match (attribute, value) {
            (CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, Value::Flag(on)) => now.reuse[0] = on,
            (CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, Value::Flag(on)) => now.reuse[1] = on,
            (CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, Value::Flag(on)) => {
                now.reuse[2] = on;
            }
            (CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, Value::Bytes(bytes)) => now.threshold = bytes,
            (CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, Value::Bytes(0)) => {
                now.reserved_high = now.reserved;
            }
            (CU_MEMPOOL_ATTR_USED_MEM_HIGH, Value::Bytes(0)) => now.used_high = now.used,
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
        Ok(())
    }
}

/// The value of an attribute.
#[derive(Clone, Copy)]
pub(crate) enum Value {
    /// An `int`.
    Flag(bool),
    /// A `cuuint64_t`.
    Bytes(u64),
}
