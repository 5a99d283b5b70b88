//! Pages of the process: those of page-locked memory, and which ones the program has.
#![allow(unsafe_code, reason = "calls the system")]

#[cfg(any(not(target_os = "linux"), miri))]
pub(crate) use system::{commit, reserve};
pub(crate) use system::{map, mapped, unmap};

#[cfg(unix)]
mod system {
    use std::fs;
    use std::ptr::{self, NonNull};

    /// Zeroed pages at an address of the system's choice.
    pub(crate) fn map(len: usize) -> Option<NonNull<u8>> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new private mapping at an address of the system's choice disturbs nothing.
        let start = unsafe { libc::mmap(ptr::null_mut(), len, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED { None } else { NonNull::new(start.cast()) }
    }

    /// Addresses for pages, which take memory when they are touched.
    #[cfg(any(not(target_os = "linux"), miri))]
    pub(crate) fn reserve(len: usize) -> Option<NonNull<u8>> {
        map(len)
    }

    /// Makes reserved addresses memory, of zeros at first; whether there was enough.
    ///
    /// # Safety
    ///
    /// They lie within what [`map`] or [`reserve`] gave.
    #[cfg(any(not(target_os = "linux"), miri))]
    pub(crate) unsafe fn commit(_start: *mut u8, _len: usize) -> bool {
        true
    }

    /// Gives pages back.
    ///
    /// # Safety
    ///
    /// [`map`] or `reserve` gave them, all of that length, and nothing uses them any more.
    pub(crate) unsafe fn unmap(start: NonNull<u8>, len: usize) {
        // SAFETY: a mapping of that length, which nothing uses any more, as the caller promises.
        let _ = unsafe { libc::munmap(start.as_ptr().cast(), len) };
    }

    /// Whether the program can read a range of addresses, and write it unless `read_only`. Where the
    /// system does not tell, it can; Miri has addresses of its own, of which the system knows nothing.
    pub(crate) fn mapped(start: usize, len: usize, read_only: bool) -> bool {
        if cfg!(miri) {
            return true;
        }
        let Ok(maps) = fs::read_to_string("/proc/self/maps") else { return true };
        let mut at = start;
        for line in maps.lines() {
            let mut words = line.split(' ');
            let range = words.next().and_then(|range| range.split_once('-'));
            let hex = |text| usize::from_str_radix(text, 16).ok();
            let Some((from, to)) = range.and_then(|(a, b)| Some((hex(a)?, hex(b)?))) else {
                continue;
            };
            let may = words.next().unwrap_or_default();
            let usable = may.starts_with('r') && (read_only || may[1..].starts_with('w'));
            if usable && from <= at && at < to {
                at = to;
            }
            if at >= start + len {
                return true;
            }
        }
        false
    }
}

#[cfg(windows)]
mod system {
    use std::ffi::{c_int, c_uint, c_void};
    use std::ptr::{self, NonNull};

    const MEM_COMMIT: c_uint = 0x1000;
    const MEM_RESERVE: c_uint = 0x2000;
    const MEM_RELEASE: c_uint = 0x8000;
    const PAGE_READWRITE: c_uint = 0x04;
    /// Read-write, copy-on-write, and these with execution.
    const WRITABLE: c_uint = 0x04 | 0x08 | 0x40 | 0x80;
    /// The protections that are writable, and those that are read-only, also with execution.
    const READABLE: c_uint = WRITABLE | 0x02 | 0x20;
    const PAGE_GUARD: c_uint = 0x100;

    /// The system's description of pages that are alike.
    #[repr(C)]
    #[derive(Default)]
    struct MemoryBasicInformation {
        base: usize,
        allocation: usize,
        allocated_as: c_uint,
        partition: u16,
        size: usize,
        state: c_uint,
        protection: c_uint,
        kind: c_uint,
    }

    #[link(name = "kernel32", kind = "raw-dylib")]
    unsafe extern "system" {
        fn VirtualAlloc(
            at: *mut c_void,
            size: usize,
            kind: c_uint,
            protection: c_uint,
        ) -> *mut c_void;
        fn VirtualFree(at: *mut c_void, size: usize, kind: c_uint) -> c_int;
        fn VirtualQuery(at: *const c_void, to: *mut MemoryBasicInformation, size: usize) -> usize;
    }

    /// Zeroed pages at an address of the system's choice.
    pub(crate) fn map(len: usize) -> Option<NonNull<u8>> {
        let kind = MEM_RESERVE | MEM_COMMIT;
        // SAFETY: new pages at an address of the system's choice disturb nothing.
        let start = unsafe { VirtualAlloc(ptr::null_mut(), len, kind, PAGE_READWRITE) };
        NonNull::new(start.cast())
    }

    /// Addresses for pages, at which there is no memory yet.
    pub(crate) fn reserve(len: usize) -> Option<NonNull<u8>> {
        // SAFETY: new addresses of the system's choice disturb nothing.
        let start = unsafe { VirtualAlloc(ptr::null_mut(), len, MEM_RESERVE, PAGE_READWRITE) };
        NonNull::new(start.cast())
    }

    /// Makes reserved addresses memory, of zeros at first; whether there was enough.
    ///
    /// # Safety
    ///
    /// They lie within what [`map`] or [`reserve`] gave.
    pub(crate) unsafe fn commit(start: *mut u8, len: usize) -> bool {
        // SAFETY: addresses of this module, as the caller promises. Pages that have memory keep it and what it holds, and
        // may be written before and after; others get theirs.
        !unsafe { VirtualAlloc(start.cast(), len, MEM_COMMIT, PAGE_READWRITE) }.is_null()
    }

    /// Gives pages back.
    ///
    /// # Safety
    ///
    /// [`map`] or `reserve` gave them, all of that length, and nothing uses them any more.
    pub(crate) unsafe fn unmap(start: NonNull<u8>, _len: usize) {
        // SAFETY: the start of pages that were allocated together, which nothing uses any more, as the caller promises;
        // all of them are released where the size is 0.
        let _ = unsafe { VirtualFree(start.as_ptr().cast(), 0, MEM_RELEASE) };
    }

    /// Whether the program can read a range of addresses, and write it unless `read_only`.
    pub(crate) fn mapped(start: usize, len: usize, read_only: bool) -> bool {
        let mut at = start;
        while at < start + len {
            let mut told = MemoryBasicInformation::default();
            let size = size_of::<MemoryBasicInformation>();
            // SAFETY: any address may be asked for; there is room for the answer, which any bytes may be.
            if unsafe { VirtualQuery(ptr::without_provenance(at), &raw mut told, size) } == 0 {
                return false;
            }
            let wanted = if read_only { READABLE } else { WRITABLE };
            let guarded = told.protection & PAGE_GUARD != 0;
            if told.state != MEM_COMMIT || told.protection & wanted == 0 || guarded {
                return false;
            }
            at = told.base + told.size;
        }
        true
    }
}
