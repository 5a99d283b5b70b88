//! Files in memory that two processes map.
#![allow(unsafe_code, reason = "maps memory")]

use crate::entry::Answer;
use crate::model::memory::shared::{Place, number};
use cuscope_sys::*;
use std::ffi::{CString, c_int};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::ptr::{self, NonNull};

/// The start of the names of all files.
const START: &str = "cuscope-";
/// The part before the number in the name of an allocation.
const NAME: &str = "allocation-";

/// Opens the file of a descriptor once more, for reading and writing: also of one that only names the file.
pub(crate) fn opened(descriptor: c_int) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open(format!("/proc/self/fd/{descriptor}"))
}

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

/// A file in memory that says by its name what it is, for processes that get a descriptor of it.
pub(crate) struct Named(pub(crate) File);

impl Named {
    /// A new file, which is empty, with the end of its name.
    fn new(name: &str) -> Answer<Self> {
        let name = CString::new(format!("{START}{name}")).map_err(|_| CUDA_ERROR_UNKNOWN)?;
        // SAFETY: the name is a string, which the call only reads.
        let descriptor = unsafe {
            libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING)
        };
        if descriptor < 0 {
            return Err(CUDA_ERROR_OUT_OF_MEMORY);
        }
        // SAFETY: new, and of nobody else.
        Ok(Self(File::from(unsafe { OwnedFd::from_raw_fd(descriptor) })))
    }

    /// A new file of so many bytes, all zero, with the end of its name. Nobody changes its size any more, so that no
    /// mapping loses its memory.
    pub(crate) fn of_size(name: &str, len: usize) -> Answer<Self> {
        let new = Self::new(name)?;
        new.0.set_len(len as u64).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: a number for an open file.
        let code = unsafe { libc::fcntl(new.0.as_raw_fd(), libc::F_ADD_SEALS, seals) };
        if code == 0 { Ok(new) } else { Err(CUDA_ERROR_OPERATING_SYSTEM) }
    }

    /// A descriptor for the caller, which child processes inherit (F441). It only names the file: as on a GPU, it is not
    /// read, written, cut off or mapped (F652).
    pub(crate) fn export(&self) -> Answer<c_int> {
        let failed = CUDA_ERROR_OPERATING_SYSTEM;
        let path = format!("/proc/self/fd/{}", self.0.as_raw_fd());
        let named = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path);
        let named = named.map_err(|_| failed)?;
        // SAFETY: takes no memory. The descriptor of the library is not inherited, its duplicate is.
        let descriptor = unsafe { libc::dup(named.as_raw_fd()) };
        if descriptor < 0 { Err(failed) } else { Ok(descriptor) }
    }

    /// The file of a descriptor, which stays the caller's, with the rest of its name; UNKNOWN for a file of others,
    /// NOT_SUPPORTED for one of another kind.
    pub(crate) fn import(descriptor: c_int, kind: &str) -> Answer<(Self, String)> {
        let unknown = CUDA_ERROR_UNKNOWN;
        if descriptor < 0 {
            return Err(unknown);
        }
        // The name says what the file is, so that no other one is taken for it.
        let name = fs::read_link(format!("/proc/self/fd/{descriptor}")).map_err(|_| unknown)?;
        let name = name.to_string_lossy().into_owned();
        let rest = name.strip_prefix("/memfd:").and_then(|name| name.strip_prefix(START));
        let rest = rest.and_then(|rest| rest.split(' ').next()).ok_or(unknown)?;
        let rest = rest.strip_prefix(kind).ok_or(CUDA_ERROR_NOT_SUPPORTED)?.to_owned();
        Ok((Self(opened(descriptor).map_err(|_| unknown)?), rest))
    }
}

impl Shared {
    /// New memory, all zero, for other processes to open.
    pub(crate) fn new(len: usize) -> Answer<Self> {
        let number = number();
        let Named(file) = Named::of_size(&format!("{NAME}{number}"), len)?;
        let descriptor = file.as_raw_fd();
        Self::map(file, Place { process: std::process::id(), descriptor, number }, len)
    }

    /// The memory of another process; MAP_FAILED if it is gone.
    pub(crate) fn open(place: Place, len: usize) -> Answer<Self> {
        let gone = CUDA_ERROR_MAP_FAILED;
        let path = format!("/proc/{}/fd/{}", place.process, place.descriptor);
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(|_| gone)?;
        let name = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
        let name = name.map_err(|_| gone)?.to_string_lossy().into_owned();
        let right = name.starts_with(&format!("/memfd:{START}{NAME}{} ", place.number));
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
