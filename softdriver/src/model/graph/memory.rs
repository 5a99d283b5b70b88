//! Memory that the nodes of graphs allocate and free (F213, F214).
#![allow(unsafe_code, reason = "the union of a place")]

use crate::entry::Answer;
use crate::model::graph::exec::EXECS;
use crate::model::graph::node::Work;
use crate::model::graph::query::node;
use crate::model::memory::allocation::Allocation;
use crate::model::memory::space::SPACE;
use crate::race::Access;
use crate::{race, sync};
use cuscope_sys::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Graphs take memory of their device in pieces of this size.
const CHUNK: usize = 32 << 20;

/// The memory that a node allocates, at the same address each time.
pub(crate) struct Memory {
    pub(crate) allocation: Arc<Allocation>,
    pub(crate) params: Params,
    /// Whether a launch allocated it that nothing frees, as far as calls were made.
    pub(crate) left: AtomicBool,
}

/// The parameters that the node was made with.
#[derive(Clone, Copy)]
pub(crate) struct Params(pub(crate) CUDA_MEM_ALLOC_NODE_PARAMS);
// SAFETY: numbers, and pointers that are only given back.
unsafe impl Send for Params {}
// SAFETY: as for `Send`.
unsafe impl Sync for Params {}

impl Memory {
    /// Its address.
    pub(crate) fn address(&self) -> u64 {
        self.allocation.base
    }

    /// Notes the handle of the node that allocates it.
    pub(super) fn allocated_by(&self, node: usize) {
        sync::lock(&NODES).insert(self.address(), node);
    }

    /// Whether `len` bytes at the address lie in it.
    pub(super) fn holds(&self, address: u64, len: usize) -> bool {
        self.allocation.holds(address, len)
    }

    /// Allocates, in the order of a run.
    pub(super) fn begin(&self) {
        race::touch(&self.allocation, 0, self.allocation.size, Access::Allocate);
        self.allocation.map(true);
        let usage = &mut sync::lock(&USAGE)[self.allocation.life.device];
        let wanted = self.allocation.size.next_multiple_of(CHUNK);
        usage.now = usage.now.max(wanted);
        usage.high = usage.high.max(usage.now);
    }

    /// Frees, in the order of a run.
    pub(crate) fn end(&self) {
        race::touch(&self.allocation, 0, self.allocation.size, Access::Free);
        self.allocation.map(false);
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        sync::lock(&NODES).remove(&self.address());
        // Memory that was not freed stays for the call that frees it.
        if !self.left.load(Ordering::Acquire) {
            SPACE.take(&self.allocation);
        }
    }
}

/// The amounts of memory that graphs of a device hold.
#[derive(Clone, Copy)]
pub(crate) struct Usage {
    pub(crate) now: usize,
    pub(crate) high: usize,
}

/// By the ordinal.
pub(crate) static USAGE: Mutex<[Usage; 64]> = Mutex::new([Usage { now: 0, high: 0 }; 64]);

/// The nodes that allocate, by the address.
static NODES: Mutex<BTreeMap<u64, usize>> = Mutex::new(BTreeMap::new());

/// The memory that a node allocates which is at an address.
pub(crate) fn owner(address: u64) -> Answer<Arc<Memory>> {
    let handle = sync::lock(&NODES).get(&address).copied().ok_or(CUDA_ERROR_INVALID_VALUE)?;
    // The graph may be gone, and what was instantiated of it not.
    let of_exec = |_| {
        let execs = EXECS.all();
        execs.iter().find_map(|exec| exec.node(handle)).ok_or(CUDA_ERROR_INVALID_VALUE)
    };
    match &*node(std::ptr::without_provenance_mut(handle)).or_else(of_exec)?.work {
        Work::Alloc(memory) => Ok(memory.clone()),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}
