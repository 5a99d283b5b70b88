//! Descriptors of files in memory and of eventfds.
#![allow(unsafe_code, reason = "takes descriptors, and numbers that others count")]

use crate::entry::Answer;
use crate::model::memory::shared::Shared;
use crate::model::memory::shared::linux::opened;
use cuscope_sys::*;
use std::ffi::c_int;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};

/// The answer for a descriptor of another kind.
const NONE: CUresult = CUDA_ERROR_UNKNOWN;

/// Returns the kind of an open descriptor.
fn kind(descriptor: c_int) -> Answer<String> {
    let link = fs::read_link(format!("/proc/self/fd/{descriptor}")).map_err(|_| NONE)?;
    Ok(link.to_string_lossy().into_owned())
}

/// Takes an open descriptor, and closes it: what it is of gets another one (F461).
fn take(descriptor: c_int) -> Answer<File> {
    // SAFETY: open, as `kind` has found, and the caller of the driver has left it to that.
    let file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
    file.try_clone().map_err(|_| CUDA_ERROR_OPERATING_SYSTEM)
}

/// Takes an open descriptor of a file in memory, which may only name it.
fn take_memory(descriptor: c_int) -> Answer<File> {
    let file = opened(descriptor).map_err(|_| NONE);
    take(descriptor)?;
    file
}

/// A file in memory.
pub(crate) struct Memory(File);

impl Memory {
    /// Takes a descriptor, whether it is of memory or not (F461).
    pub(crate) fn import(descriptor: c_int) -> Answer<Self> {
        let kind = kind(descriptor)?;
        if kind.starts_with("/memfd:") {
            return Ok(Self(take_memory(descriptor)?));
        }
        take(descriptor)?;
        Err(NONE)
    }

    /// Maps so many bytes from its start; INVALID_VALUE if there are fewer.
    pub(super) fn map(&self, len: usize) -> Answer<Shared> {
        let file = self.0.try_clone().map_err(|_| CUDA_ERROR_OPERATING_SYSTEM)?;
        let holds = file.metadata().is_ok_and(|file| file.len() >= len as u64);
        if holds { Shared::of_file(file, len) } else { Err(CUDA_ERROR_INVALID_VALUE) }
    }
}

/// A semaphore.
pub(crate) enum Semaphore {
    /// An eventfd: signalled while its number is not 0, which a wait takes.
    Binary(File),
    /// The first number of a file in memory.
    Timeline(Shared),
}

impl Semaphore {
    /// Takes a descriptor if it is of a semaphore (F464).
    pub(crate) fn import(descriptor: c_int, timeline: bool) -> Answer<Self> {
        let kind = kind(descriptor)?;
        if !timeline {
            if kind != "anon_inode:[eventfd]" {
                return Err(NONE);
            }
            let file = take(descriptor)?;
            // SAFETY: changes a flag of an open descriptor, so that a stream never blocks in a read.
            let _ = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
            return Ok(Self::Binary(file));
        }
        let size = fs::metadata(format!("/proc/self/fd/{descriptor}")).map_err(|_| NONE)?.len();
        if !kind.starts_with("/memfd:") || size < 8 {
            return Err(NONE);
        }
        Ok(Self::Timeline(Shared::of_file(take_memory(descriptor)?, size_of::<u64>())?))
    }

    fn number(memory: &Shared) -> &AtomicU64 {
        // SAFETY: the start of a mapping of one number, which lives as long; every user only accesses it atomically.
        unsafe { AtomicU64::from_ptr(memory.start().as_ptr().cast()) }
    }

    /// Signals it.
    pub(super) fn signal(&self, value: u64) {
        match self {
            // One that is signalled as often as a number counts stays so.
            Self::Binary(file) => {
                let _stays = (&*file).write(&1_u64.to_ne_bytes());
            }
            Self::Timeline(memory) => Self::number(memory).store(value, Ordering::Release),
        }
    }

    /// Whether a wait for it is over.
    pub(super) fn pass(&self, value: u64) -> bool {
        match self {
            Self::Binary(file) => (&*file).read(&mut [0; 8]).is_ok(),
            Self::Timeline(memory) => Self::number(memory).load(Ordering::Acquire) >= value,
        }
    }
}
