//! Memory and events between processes (F400–F404).
#![allow(unsafe_code, reason = "numbers that two processes count")]

use crate::entry::Answer;
use crate::model::life::Life;
use crate::model::memory::physical::Physical;
use crate::model::memory::shared::Shared;
use crate::model::memory::shared::Told;
use crate::sync;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// Memory of other processes.
pub(crate) static OPENED: LazyLock<Opened> = LazyLock::new(Opened::default);

/// Memory of other processes that is open, by its address.
#[derive(Default)]
pub(crate) struct Opened(pub(crate) Mutex<BTreeMap<u64, One>>);

pub(crate) struct One {
    pub(crate) told: Told,
    pub(crate) life: Weak<Life>,
    pub(crate) count: usize,
}

impl Opened {
    /// How many there are, of contexts that go on.
    pub(crate) fn count(&self) -> usize {
        let lives = |one: &&One| one.life.upgrade().is_some_and(|life| life.alive());
        sync::lock(&self.0).values().filter(lives).count()
    }
}

/// How often an event of several processes was recorded, and up to which of these the work has ended.
pub(crate) struct Counts(pub(crate) Shared);

impl Counts {
    /// The bytes that they take.
    pub(crate) const SIZE: usize = 16;

    /// Those of a new event, where there are other processes.
    pub(crate) fn new() -> Answer<Option<Arc<Self>>> {
        if !Physical::IS_SHARED {
            return Ok(None);
        }
        Ok(Some(Arc::new(Self(Shared::new(Self::SIZE)?))))
    }

    fn number(&self, index: usize) -> &AtomicU64 {
        let at = self.0.start().as_ptr().cast::<u64>().wrapping_add(index);
        // SAFETY: inside the mapping of two numbers, which lives as long as this; aligned, as it starts with a page;
        // every process only accesses it atomically.
        unsafe { AtomicU64::from_ptr(at) }
    }

    /// Notes a record, and gives its number.
    pub(crate) fn begin(&self) -> u64 {
        self.number(0).fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Notes that the work of a record has ended.
    pub(crate) fn end(&self, record: u64) {
        self.number(1).fetch_max(record, Ordering::AcqRel);
    }

    /// The number of the last record.
    pub(crate) fn last(&self) -> u64 {
        self.number(0).load(Ordering::Acquire)
    }

    /// Whether the work of a record has ended.
    pub(crate) fn reached(&self, record: u64) -> bool {
        self.number(1).load(Ordering::Acquire) >= record
    }
}
