//! Pieces of memory: what one is for, who may use it, and whether it is still there.

use crate::model::life::Life;
use crate::model::memory::managed::Page;
use crate::model::memory::pool::Pool;
use crate::model::memory::storage::Storage;
use crate::model::memory::written::Written;
use core::ffi::c_uint;
use cuscope_sys::*;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Allocations start at multiples of this, and at least as much lies between them.
pub(super) const GRANULE: u64 = 512;

/// The purpose of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Memory that the program asked for.
    Device,
    /// A variable of a module.
    Variable,
    /// Memory that a kernel asked for.
    Heap,
    /// Page-locked host memory; its address is its host pointer.
    Host,
    /// The same, of a pool of the host: only devices with access to the pool use it.
    HostPool,
    /// Memory that a node of a graph allocates: there while a run has it.
    Graph,
    /// Memory that the host and all devices use, at one address.
    Managed,
    /// The same, for a variable of a module.
    ManagedVariable,
    /// Host memory of the program, registered: page-locked while it is.
    Registered,
    /// Physical memory that is mapped into a reserved range.
    Mapped,
    /// Memory of another process, which has allocated it.
    Opened,
    /// Memory of another interface.
    External,
    /// A buffer of graphics, while it is mapped.
    Graphics,
    /// The texels of an array: the program has no address of them.
    Array,
}

/// The access of a device to memory that is mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rights {
    None,
    Read,
    ReadWrite,
}

impl Kind {
    /// Page-locked memory of the host, at the address where the program sees it.
    pub(crate) fn is_host(self) -> bool {
        matches!(self, Kind::Host | Kind::HostPool | Kind::Registered)
    }

    /// The same, but for what a pool has: every device can use it.
    pub(crate) fn is_mapped_host(self) -> bool {
        matches!(self, Kind::Host | Kind::Registered)
    }

    /// Memory that the host and all devices use, at one address.
    pub(crate) fn is_managed(self) -> bool {
        matches!(self, Kind::Managed | Kind::ManagedVariable)
    }

    /// A variable of a module, which ends with that.
    pub(crate) fn is_variable(self) -> bool {
        matches!(self, Kind::Variable | Kind::ManagedVariable)
    }

    /// Memory that every device can use.
    pub(crate) fn is_shared(self) -> bool {
        self.is_mapped_host() || self.is_managed()
    }

    /// Mapped for the program, at the address that devices use too.
    pub(super) fn is_mapped(self) -> bool {
        matches!(self, Kind::Host | Kind::HostPool) || self.is_managed()
    }
}

/// A piece of memory.
pub(crate) struct Allocation {
    /// Its first address.
    pub(crate) base: u64,
    /// Bytes that were asked for.
    pub(crate) size: usize,
    pub(crate) kind: Kind,
    /// The context that it was made in.
    pub(crate) life: Arc<Life>,
    pub(crate) storage: Storage,
    /// Of host memory: what it was allocated or registered with.
    pub(crate) flags: c_uint,
    /// The pool that it came from, and belongs to rather than to its context.
    pub(crate) pool: Option<Arc<Pool>>,
    /// Of memory that is mapped: the access of each device.
    pub(super) rights: Box<[AtomicU8]>,
    /// Of several mappings side by side, found as one: where they begin and end.
    pub(crate) pieces: Box<[(u64, u64)]>,
    /// A number that no other allocation has.
    pub(crate) id: u64,
    /// Which of its bytes were written, if accesses are checked and only devices and calls write it.
    pub(crate) written: Option<Written>,
    /// Of managed memory: what is known of its pages, once somebody asked.
    pub(crate) pages: Mutex<Vec<Page>>,
    /// Whether synchronous operations always wait, as it was set.
    synchronous: AtomicBool,
    /// False from the call that frees it: no new use.
    pub(super) live: AtomicBool,
    /// True once it is freed: a kernel that still runs may not touch it either.
    pub(super) gone: AtomicBool,
}

impl Allocation {
    pub(super) fn new(
        base: u64,
        size: usize,
        kind: Kind,
        life: &Arc<Life>,
        storage: Storage,
        flags: c_uint,
        pool: Option<Arc<Pool>>,
    ) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let there = kind != Kind::Graph;
        let (live, gone) = (AtomicBool::new(there), AtomicBool::new(!there));
        let synchronous = AtomicBool::new(!kind.is_host());
        let life = life.clone();
        let (rights, pieces, pages) = (Box::default(), Box::default(), Mutex::default());
        let only_here = matches!(kind, Kind::Device | Kind::Heap | Kind::Graph);
        let written = if only_here { Written::of_new(size) } else { None };
        Self {
            base,
            size,
            kind,
            life,
            storage,
            flags,
            pool,
            rights,
            pieces,
            id,
            written,
            pages,
            synchronous,
            live,
            gone,
        }
    }

    /// Whether synchronous operations on it always wait.
    pub(crate) fn synchronous(&self) -> bool {
        self.synchronous.load(Ordering::Relaxed)
    }

    /// Says so, or not.
    pub(crate) fn set_synchronous(&self, synchronous: bool) {
        self.synchronous.store(synchronous, Ordering::Relaxed);
    }

    /// Whether it was not freed.
    #[inline]
    pub(crate) fn live(&self) -> bool {
        self.live.load(Ordering::Relaxed)
    }

    /// Whether the free is through.
    #[inline]
    pub(crate) fn gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    /// Whether `len` bytes at the address lie in it.
    #[inline]
    pub(crate) fn holds(&self, address: u64, len: usize) -> bool {
        let size = self.size as u64;
        address.checked_sub(self.base).is_some_and(|at| at <= size && len as u64 <= size - at)
    }

    /// The offset of an address in it.
    #[inline]
    pub(crate) fn offset(&self, address: u64) -> usize {
        (address - self.base) as usize
    }

    /// Memory of a graph is there from now on, or no more.
    pub(crate) fn map(&self, there: bool) {
        self.gone.store(!there, Ordering::Release);
        self.live.store(there, Ordering::Release);
    }

    /// Returns how much it takes from its device's memory.
    pub(super) fn cost(&self) -> usize {
        let free = self.kind.is_shared() || self.pool.is_some();
        let free = free || self.kind == Kind::Mapped || self.storage.is_of_others();
        if free { 0 } else { cost(self.size) }
    }

    /// The access of a device to it, as far as it was mapped or registered with one.
    #[inline]
    pub(crate) fn rights(&self, device: usize) -> Rights {
        match self.rights.get(device).map(|rights| rights.load(Ordering::Acquire)) {
            Some(0) => Rights::None,
            Some(1) => Rights::Read,
            None if self.flags & CU_MEMHOSTREGISTER_READ_ONLY != 0 => Rights::Read,
            None | Some(_) => Rights::ReadWrite,
        }
    }

    /// Whether it is on the device, or every device can use it.
    pub(crate) fn is_of(&self, device: usize) -> bool {
        let here = self.life.device == device && self.kind != Kind::HostPool;
        self.kind.is_shared() || here
    }

    /// Whether its device may only read it.
    pub(crate) fn read_only(&self) -> bool {
        self.rights(self.life.device) < Rights::ReadWrite
    }

    /// Whether some device has access.
    pub(crate) fn reachable(&self) -> bool {
        self.rights.is_empty() || self.rights.iter().any(|one| one.load(Ordering::Acquire) > 0)
    }

    /// Gives a device another access.
    pub(super) fn allow(&self, device: usize, rights: Rights) {
        if let Some(one) = self.rights.get(device) {
            one.store(rights as u8, Ordering::Release);
        }
    }
}

/// What happens to an allocation.
#[derive(Clone, Copy)]
pub(crate) enum Event {
    /// It begins, where an earlier one may have been.
    Allocated,
    /// It ends, by the work of this thread or the host.
    Freed,
}

/// Who is told.
static OBSERVER: OnceLock<fn(&Allocation, Event)> = OnceLock::new();

/// Has the events of allocations told from now on.
pub(crate) fn observe(observer: fn(&Allocation, Event)) {
    let _first = OBSERVER.set(observer);
}

pub(super) fn tell(allocation: &Allocation, event: Event) {
    if let Some(observer) = OBSERVER.get() {
        observer(allocation, event);
    }
}

/// Returns how much memory an allocation of a size takes.
pub(crate) fn cost(size: usize) -> usize {
    size.max(1).next_multiple_of(GRANULE as usize)
}
