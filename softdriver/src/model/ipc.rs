//! Memory and events between processes (F400–F404).
#![allow(unsafe_code, reason = "numbers that two processes count")]

use crate::entry::Answer;
use crate::model::life::Life;
use crate::model::memory::physical::Physical;
use crate::model::memory::shared::Place;
use crate::model::memory::shared::Shared;
use crate::sync;
use core::ffi::c_char;
use cuscope_sys::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// What a handle says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) place: Place,
    pub(crate) size: u64,
    /// Of memory of a pool: the pool's number.
    pub(crate) pool: u64,
}

impl Told {
    /// The bytes of a handle.
    pub(crate) fn bytes(self, magic: u64) -> [c_char; 64] {
        let Self { place: Place { process, descriptor, number }, size, pool } = self;
        let parts = [magic, u64::from(process), descriptor as u64, number, size, pool];
        let mut reserved: [c_char; 64] = [0; 64];
        for (byte, to) in parts.iter().flat_map(|part| part.to_le_bytes()).zip(&mut reserved) {
            *to = byte as c_char;
        }
        reserved
    }

    /// The error `none` for what is none.
    pub(crate) fn from(magic: u64, reserved: [c_char; 64], none: CUresult) -> Answer<Self> {
        let part = |index: usize| {
            let bytes = std::array::from_fn(|i| reserved[8 * index + i] as u8);
            u64::from_le_bytes(bytes)
        };
        let [found, process, descriptor, number, size, pool] = [0, 1, 2, 3, 4, 5].map(part);
        if found != magic || reserved[48..].iter().any(|&byte| byte != 0) {
            return Err(none);
        }
        let place = Place { process: process as u32, descriptor: descriptor as i32, number };
        Ok(Self { place, size, pool })
    }
}

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
