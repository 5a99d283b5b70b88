//! Files in memory that two processes map.
#![allow(unsafe_code, reason = "maps memory")]

use super::Place;
use crate::entry::Answer;
use cuscope_sys::*;
use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The start of the name of such a file; its number follows.
const NAME: &str = "cuscope-allocation-";

/// A mapping of a file in memory.
pub(crate) struct Shared {
    start: NonNull<u8>,
    len: usize,
    /// Open, so that other processes find it.
    _file: File,
    place: Place,
}

// SAFETY: the mapping is owned, and only ever accessed atomically.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

/// A number that no other file has, of this process or of an earlier one with its number.
fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos() as u64);
    now.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed))
}

impl Shared {
    /// New memory, all zero, for other processes to open.
    pub(crate) fn new(len: usize) -> Answer<Self> {
        let number = number();
        let name = CString::new(format!("{NAME}{number}")).map_err(|_| CUDA_ERROR_UNKNOWN)?;
        // SAFETY: the name is a string, which the call only reads.
        let descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(CUDA_ERROR_OUT_OF_MEMORY);
        }
        // SAFETY: new, and of nobody else.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
        file.set_len(len as u64).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
        Self::map(file, Place { process: std::process::id(), descriptor, number }, len)
    }

    /// The memory of another process; MAP_FAILED if it is gone.
    pub(crate) fn open(place: Place, len: usize) -> Answer<Self> {
        let gone = CUDA_ERROR_MAP_FAILED;
        let path = format!("/proc/{}/fd/{}", place.process, place.descriptor);
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(|_| gone)?;
        let name = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
        let name = name.map_err(|_| gone)?.to_string_lossy().into_owned();
        let right = name.starts_with(&format!("/memfd:{NAME}{} ", place.number));
        let holds = file.metadata().is_ok_and(|file| file.len() >= len as u64);
        if right && holds { Self::map(file, place, len) } else { Err(gone) }
    }

    /// The start of a file that somebody else made.
    pub(crate) fn of_file(file: File, len: usize) -> Answer<Self> {
        Self::map(file, Place { process: 0, descriptor: -1, number: 0 }, len)
    }

    fn map(file: File, place: Place, len: usize) -> Answer<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let (descriptor, flags) = (file.as_raw_fd(), libc::MAP_SHARED);
        // SAFETY: a new mapping at an address of the system's choice disturbs nothing.
        let start = unsafe { libc::mmap(ptr::null_mut(), len, protection, flags, descriptor, 0) };
        if start == libc::MAP_FAILED {
            return Err(CUDA_ERROR_MAP_FAILED);
        }
        let start = NonNull::new(start.cast()).ok_or(CUDA_ERROR_MAP_FAILED)?;
        Ok(Self { start, len, _file: file, place })
    }

    /// Where another process finds it, as long as it is open here.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// Where it starts in the program's address space.
    pub(crate) fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: the mapping that was made for it, which nothing uses any more.
        let _ = unsafe { libc::munmap(self.start.as_ptr().cast(), self.len) };
    }
}
