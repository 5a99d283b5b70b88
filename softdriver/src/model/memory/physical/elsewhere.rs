//! Physical memory where the system has no files in memory: its bytes move to the range that it is mapped into, and back.
//! So it is mapped once at a time, and not shared.

use crate::entry::Answer;
use crate::model::memory::physical::Physical;
use crate::model::memory::storage::Storage;
use cuscope_sys::*;
use std::ffi::c_int;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

/// The most bytes of a range. On Windows they take memory only where something is mapped.
const MOST: usize = if cfg!(windows) { 1 << 46 } else { 1 << 32 };

/// The bytes of physical memory while they are not mapped.
pub(crate) struct Bytes {
    kept: Storage,
    mapped: AtomicBool,
}

impl Bytes {
    /// New bytes, all zero.
    pub(crate) fn new(_device: usize, size: usize) -> Answer<Self> {
        let kept = Storage::device(size).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        Ok(Self { kept, mapped: AtomicBool::new(false) })
    }

    pub(crate) fn export(&self) -> Answer<c_int> {
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }

    pub(crate) fn import(_descriptor: c_int) -> Answer<(Self, usize, usize)> {
        Err(CUDA_ERROR_NOT_SUPPORTED)
    }
}

/// A range of the program's addresses.
pub(crate) struct Region(Storage, usize);

impl Region {
    /// A range of `len` bytes; `None` if there is none.
    pub(crate) fn new(len: usize) -> Option<Self> {
        if len > MOST { None } else { Some(Self(Storage::reserved(len)?, len)) }
    }

    /// Where an offset lies. Panics beyond the end, which callers have excluded.
    pub(crate) fn at(&self, offset: usize, len: usize) -> NonNull<u8> {
        assert!(offset <= self.1 && len <= self.1 - offset, "beyond a reserved range");
        NonNull::new(self.0.start().wrapping_add(offset)).expect("memory has an address")
    }

    /// Maps physical memory from its start; NOT_SUPPORTED if it is mapped.
    pub(crate) fn map(&self, offset: usize, len: usize, memory: &Physical) -> Answer {
        if memory.bytes.mapped.swap(true, Ordering::AcqRel) {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        // It stays memory until the range ends.
        if !self.0.commit(offset, len) {
            memory.bytes.mapped.store(false, Ordering::Release);
            return Err(CUDA_ERROR_OUT_OF_MEMORY);
        }
        self.0.copy_across(offset, &memory.bytes.kept, 0, len);
        Ok(())
    }

    /// Takes it out.
    pub(crate) fn unmap(&self, offset: usize, len: usize, memory: &Physical) {
        memory.bytes.kept.copy_across(0, &self.0, offset, len);
        memory.bytes.mapped.store(false, Ordering::Release);
    }
}
