//! Imported memory and its mappings.

use crate::entry::Answer;
use crate::model::external::system::Memory;
use crate::model::life::Life;
use crate::model::memory::allocation::Kind;
use crate::model::memory::space::SPACE;
use crate::registry::Registry;
use core::ffi::c_uint;
use cuscope_sys::*;
use std::sync::Arc;
use std::sync::LazyLock;

pub(crate) const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

/// Imported memory.
pub(crate) static MEMORIES: LazyLock<Registry<ExternalMemory>> =
    LazyLock::new(|| Registry::new(0x61));

/// Imported memory. Its mappings outlive it.
pub(crate) struct ExternalMemory {
    /// The context that it was imported in.
    pub(crate) life: Arc<Life>,
    pub(crate) memory: Memory,
    /// As the program said. Nobody compares it with the memory (F462).
    pub(crate) size: u64,
}

impl ExternalMemory {
    /// The context of its mappings.
    pub(crate) fn life(&self) -> Arc<Life> {
        self.life.clone()
    }

    /// Whether its context goes on.
    pub(crate) fn alive(&self) -> bool {
        self.life.alive()
    }

    /// Maps a part of it as memory of a kind, and gives the address.
    pub(crate) fn map(&self, kind: Kind, offset: u64, size: u64) -> Answer<u64> {
        let end = offset.checked_add(size).filter(|&end| size > 0 && end <= self.size);
        let end = usize::try_from(end.ok_or(INVALID)?).map_err(|_| INVALID)?;
        let memory = self.memory.map(end)?;
        SPACE.open(&self.life, kind, memory, offset as usize, size as usize, None)
    }
}

/// Whether numbers that are reserved are all 0.
pub(crate) fn reserved(all: &[c_uint]) -> Answer {
    if all.iter().all(|&one| one == 0) { Ok(()) } else { Err(INVALID) }
}
