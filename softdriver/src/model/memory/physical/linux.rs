//! Physical memory as files in memory, and the ranges that they are mapped into.
#![allow(unsafe_code, reason = "maps memory")]

use crate::entry::Answer;
use crate::model::memory::physical::Physical;
use crate::model::memory::shared::Named;
use cuscope_sys::*;
use std::ffi::{c_int, c_void};
use std::os::fd::{AsRawFd, RawFd};
use std::ptr::{self, NonNull};

/// The start of the name of a file that is physical memory; the number of the device in the machine follows.
const NAME: &str = "physical-";

const READ_WRITE: c_int = libc::PROT_READ | libc::PROT_WRITE;

/// The bytes of physical memory: a file in memory.
pub(super) struct Bytes(Named);

impl Bytes {
    /// New bytes, all zero.
    pub(super) fn new(number: usize, size: usize) -> Answer<Self> {
        Ok(Self(Named::of_size(&format!("{NAME}{number}"), size)?))
    }

    /// A descriptor for the caller.
    pub(super) fn export(&self) -> Answer<c_int> {
        self.0.export()
    }

    /// The bytes of a descriptor, with the number of their device in the machine and their size; UNKNOWN for a file of others.
    pub(super) fn import(descriptor: RawFd) -> Answer<(Self, usize, usize)> {
        let (file, number) = Named::import(descriptor, NAME)?;
        let number = number.parse().map_err(|_| CUDA_ERROR_UNKNOWN)?;
        let size = file.0.metadata().map_err(|_| CUDA_ERROR_UNKNOWN)?.len();
        Ok((Self(file), number, size as usize))
    }
}

/// A range of the program's addresses. What is not mapped there is memory that nobody sees, so that work which comes
/// late harms nothing.
pub(crate) struct Region {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: the range is owned, and only ever accessed atomically.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// A range of `len` bytes; `None` if there is none.
    pub(crate) fn new(len: usize) -> Option<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new private mapping at an address of the system's choice disturbs nothing.
        let start = unsafe { libc::mmap(ptr::null_mut(), len, READ_WRITE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        Some(Self { start: NonNull::new(start.cast())?, len })
    }

    /// Where an offset lies. Panics beyond the end, which callers have excluded.
    pub(crate) fn at(&self, offset: usize, len: usize) -> NonNull<u8> {
        assert!(offset <= self.len && len <= self.len - offset, "beyond a reserved range");
        // SAFETY: inside the mapping, or at its end.
        unsafe { self.start.add(offset) }
    }

    /// Maps physical memory from its start.
    pub(crate) fn map(&self, offset: usize, len: usize, memory: &Physical) -> Answer {
        self.replace(offset, len, libc::MAP_SHARED, memory.bytes.0.0.as_raw_fd())
    }

    /// Takes it out. If the system refuses, nobody sees what stays there.
    pub(crate) fn unmap(&self, offset: usize, len: usize, _: &Physical) {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let _refused = self.replace(offset, len, flags, -1);
    }

    fn replace(&self, offset: usize, len: usize, flags: c_int, file: RawFd) -> Answer {
        let at: *mut c_void = self.at(offset, len).as_ptr().cast();
        let flags = flags | libc::MAP_FIXED;
        // SAFETY: replaces a part of the range, which is owned; that stays readable and writable throughout, and
        // whoever works on it does so by pointers and atomics.
        let now = unsafe { libc::mmap(at, len, READ_WRITE, flags, file, 0) };
        if now == libc::MAP_FAILED { Err(CUDA_ERROR_MAP_FAILED) } else { Ok(()) }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the mapping that was made for it, which nothing uses any more.
        let _ = unsafe { libc::munmap(self.start.as_ptr().cast(), self.len) };
    }
}
