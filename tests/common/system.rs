//! Questions to the system, which each has its own calls for: pages of memory, and the cause of a process's death.
#![allow(unsafe_code, reason = "calls the system")]

use std::ffi::{c_int, c_void};
use std::process::ExitStatus;

/// The access that pages allow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum May {
    Nothing,
    Read,
    Write,
}

/// Zeroed pages of the system, at `place` unless that is null. What was there before was unmapped by the test.
pub(crate) fn map(place: *mut c_void, len: usize, may: May) -> *mut c_void {
    let start = calls::map(place, len, may);
    assert!(!start.is_null() && (place.is_null() || start == place), "no pages at {place:?}");
    start
}

#[cfg(unix)] // Windows counts the time of a process in steps of 15 ms
#[allow(unused_imports, reason = "each test file uses a part")]
pub(crate) use calls::processor_time;
#[allow(unused_imports, reason = "each test file uses a part")]
pub(crate) use calls::{protect, signal, unmap};

#[cfg(unix)]
mod calls {
    use super::*;
    use std::os::unix::process::ExitStatusExt as _;
    use std::ptr::null_mut;
    use std::time::Duration;

    fn protection(may: May) -> c_int {
        match may {
            May::Nothing => libc::PROT_NONE,
            May::Read => libc::PROT_READ,
            May::Write => libc::PROT_READ | libc::PROT_WRITE,
        }
    }

    pub(super) fn map(place: *mut c_void, len: usize, may: May) -> *mut c_void {
        let fixed = if place.is_null() { 0 } else { libc::MAP_FIXED };
        let flags = fixed | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: new pages at a place of the system's choice, or where a test had some before.
        let start = unsafe { libc::mmap(place, len, protection(may), flags, -1, 0) };
        if start == libc::MAP_FAILED { null_mut() } else { start }
    }

    /// Changes what may be done with pages of the test.
    pub(crate) fn protect(start: *mut c_void, len: usize, may: May) {
        // SAFETY: pages of the test, which nobody uses.
        assert_eq!(unsafe { libc::mprotect(start, len, protection(may)) }, 0);
    }

    /// Gives back what `map` gave.
    ///
    /// # Safety
    ///
    /// Nothing uses the pages any more.
    pub(crate) unsafe fn unmap(start: *mut c_void, len: usize) {
        // SAFETY: pages of the test, which nothing uses any more, as the caller promises.
        assert_eq!(unsafe { libc::munmap(start, len) }, 0);
    }

    /// The time that the threads of this process have run: other processes do not count.
    pub(crate) fn processor_time() -> Duration {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is valid for what is written.
        let code = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
        assert_eq!(code, 0);
        Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.try_into().unwrap())
    }

    /// The signal that a process died of.
    pub(crate) fn signal(status: ExitStatus) -> Option<c_int> {
        status.signal()
    }
}

#[cfg(windows)]
mod calls {
    use super::*;
    use std::ffi::c_uint;

    const COMMIT_AND_RESERVE: c_uint = 0x3000;
    const RELEASE: c_uint = 0x8000;

    #[link(name = "kernel32", kind = "raw-dylib")]
    unsafe extern "system" {
        fn VirtualAlloc(at: *mut c_void, size: usize, kind: c_uint, may: c_uint) -> *mut c_void;
        fn VirtualFree(at: *mut c_void, size: usize, kind: c_uint) -> c_int;
        fn VirtualProtect(at: *mut c_void, size: usize, may: c_uint, was: *mut c_uint) -> c_int;
    }

    fn protection(may: May) -> c_uint {
        match may {
            May::Nothing => 1,
            May::Read => 2,
            May::Write => 4,
        }
    }

    pub(super) fn map(place: *mut c_void, len: usize, may: May) -> *mut c_void {
        // SAFETY: new pages, never where others are.
        unsafe { VirtualAlloc(place, len, COMMIT_AND_RESERVE, protection(may)) }
    }

    /// Changes what may be done with pages of the test.
    pub(crate) fn protect(start: *mut c_void, len: usize, may: May) {
        let mut was = 0;
        // SAFETY: pages of the test, which nobody uses.
        let changed = unsafe { VirtualProtect(start, len, protection(may), &raw mut was) };
        assert_ne!(changed, 0);
    }

    /// Gives back what `map` gave.
    ///
    /// # Safety
    ///
    /// Nothing uses the pages any more.
    pub(crate) unsafe fn unmap(start: *mut c_void, _len: usize) {
        // SAFETY: all pages that were allocated there, which nothing uses any more, as the caller promises.
        assert_ne!(unsafe { VirtualFree(start, 0, RELEASE) }, 0);
    }

    /// The signal that stands for the exception that a process died of.
    pub(crate) fn signal(status: ExitStatus) -> Option<c_int> {
        match status.code()?.cast_unsigned() {
            0xc000_0005 => Some(libc::SIGSEGV), // an access violation
            0xc000_0409 => Some(libc::SIGABRT), // what `abort` raises
            _ => None,
        }
    }
}
