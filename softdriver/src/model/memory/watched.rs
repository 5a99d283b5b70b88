//! Memory whose accesses somebody watches.

use cuscope_ptx::run::{Fault, Image, Memory, Row, Texture, lanes};
use std::fmt;
use std::sync::Arc;

/// An operation's access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Changes it atomically: no race with its like.
    Atomic,
    /// Allocates it in the order of a stream.
    Allocate,
    /// Frees it.
    Free,
}

impl Access {
    /// Whether two are a race where nothing orders them.
    pub(crate) fn conflicts(self, other: Self) -> bool {
        !matches!((self, other), (Self::Read, Self::Read) | (Self::Atomic, Self::Atomic))
    }

    /// Whether whoever is in a race with `other` is in one with this too.
    pub(crate) fn stands_for(self, other: Self) -> bool {
        self == other || !matches!(self, Self::Read | Self::Atomic)
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "reads",
            Self::Write => "writes",
            Self::Atomic => "changes atomically",
            Self::Allocate => "allocates",
            Self::Free => "frees",
        })
    }
}

/// Somebody who watches what a kernel does to memory.
pub(crate) trait Watch: Sync {
    /// Sees an access, reads, writes or atomic ones, and whether it was made.
    fn saw(&self, access: Access, address: u64, bytes: usize, made: Result<(), Fault>);
}

/// Memory each of whose accesses is seen, lane by lane.
pub(crate) struct Watched<'m> {
    pub(crate) memory: &'m dyn Memory,
    pub(crate) watch: &'m dyn Watch,
}

impl Watched<'_> {
    fn seen<R>(
        &self,
        access: Access,
        address: u64,
        bytes: usize,
        result: Result<R, Fault>,
    ) -> Result<R, Fault> {
        let made = result.as_ref().map(|_| ()).map_err(|&fault| fault);
        self.watch.saw(access, address, bytes, made);
        result
    }
}

impl Memory for Watched<'_> {
    fn load(&self, at: &Row, mask: u32, bytes: usize, out: &mut Row) -> Result<(), Fault> {
        lanes(mask).try_for_each(|lane| {
            let result = self.memory.load(at, 1 << lane, bytes, out);
            self.seen(Access::Read, at[lane], bytes, result)
        })
    }

    fn store(&self, at: &Row, mask: u32, bytes: usize, values: &Row) -> Result<(), Fault> {
        lanes(mask).try_for_each(|lane| {
            let result = self.memory.store(at, 1 << lane, bytes, values);
            self.seen(Access::Write, at[lane], bytes, result)
        })
    }

    fn atomic(
        &self,
        address: u64,
        bytes: usize,
        update: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> Result<u64, Fault> {
        self.seen(Access::Atomic, address, bytes, self.memory.atomic(address, bytes, update))
    }

    fn room(&self, address: u64) -> u64 {
        self.memory.room(address)
    }

    fn multicast(&self, address: u64, bytes: usize) -> Result<Vec<u64>, Fault> {
        self.memory.multicast(address, bytes)
    }

    fn cut_off(&self) -> bool {
        self.memory.cut_off()
    }

    fn set_number(&self, handle: u64, value: u32) -> Result<(), Fault> {
        self.memory.set_number(handle, value)
    }

    fn allocate(&self, bytes: u64) -> Option<u64> {
        self.memory.allocate(bytes)
    }

    fn release(&self, address: u64) -> Result<(), Fault> {
        self.memory.release(address)
    }

    fn texture(&self, handle: u64) -> Option<Arc<Texture>> {
        self.memory.texture(handle)
    }

    fn surface(&self, handle: u64) -> Option<Arc<Image>> {
        self.memory.surface(handle)
    }
}
