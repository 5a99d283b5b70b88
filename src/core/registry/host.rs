//! The page-locked memory of the host.

use crate::device::Device;
use crate::driver::fork;
use ffi::CUdeviceptr;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The memory that is registered, and device memory that the host has seen: first address, and the address after the last.
static REGISTERED: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

/// Whether the host has seen device memory.
static SEEN: AtomicBool = AtomicBool::new(false);

/// Notes that the host is about to see device memory at this address: the device copies with it by itself, as with
/// page-locked memory.
#[inline]
pub(crate) fn host_sees(start: usize, bytes: usize) {
    SEEN.store(true, Ordering::Relaxed);
    let (range, mut list) = ((start, start.saturating_add(bytes)), registered());
    if !list.contains(&range) {
        list.push(range);
    }
}

/// Ends that for memory that is about to be freed: nothing uses it, and nobody sees it.
#[inline]
pub(crate) fn host_saw(address: CUdeviceptr) {
    if SEEN.load(Ordering::Relaxed) {
        forget(address as usize);
    }
}

#[cold]
#[inline]
fn forget(start: usize) {
    if let Some(mut list) = fork::lock(&REGISTERED) {
        list.retain(|&(from, _)| from != start);
    }
}

/// No code of the program runs while this is held.
#[inline]
pub(crate) fn registered() -> MutexGuard<'static, Vec<(usize, usize)>> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Host memory that an operation or scope lends to the device: its start and its size in bytes.
#[derive(Clone, Copy)]
pub(crate) struct LentHost {
    start: usize,
    bytes: usize,
}

impl LentHost {
    pub(crate) const NONE: LentHost = LentHost { start: 0, bytes: 0 };
    /// Host memory of a copy that nobody has measured to be complete when its call returns.
    pub(crate) const AS_LOCKED: LentHost = LentHost { start: usize::MAX, bytes: usize::MAX };
    /// Unknown host memory.
    pub(crate) const ANY: LentHost = LentHost { start: 0, bytes: usize::MAX };

    #[inline]
    pub(crate) fn new(start: *const c_void, bytes: usize) -> LentHost {
        LentHost { start: start.addr(), bytes }
    }

    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self.bytes == 0
    }

    /// Returns whether the device may use a part of it after the call that copies it has returned: this crate
    /// registered that part, it is [device memory](host_sees), or devices use all host memory.
    #[inline]
    pub(crate) fn is_page_locked(self) -> bool {
        if self.start == usize::MAX {
            return true;
        }
        let (start, end) = (self.start, self.start.saturating_add(self.bytes));
        let part = |&(from, to): &(usize, usize)| from < end && start < to;
        self.bytes > 0 && (registered().iter().any(part) || devices_use_all())
    }
}

/// Returns whether a device uses host memory that nobody registered. If no device does, a copy with such memory
/// is complete when its call returns ([F331](crate::driver_facts#F331)).
#[inline]
fn devices_use_all() -> bool {
    const ACCESS: ffi::CUdevice_attribute = ffi::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS;
    let uses_all = |device: Device| device.attribute(ACCESS) != Ok(0);
    Device::all().map_or(true, |devices| devices.into_iter().any(uses_all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::without_provenance;

    #[test]
    fn memory_that_the_host_sees_counts_as_page_locked_until_it_is_freed() {
        if devices_use_all() {
            return; // then all memory counts so
        }
        // Addresses that nothing has.
        let (here, there) = (1 << 62, (1 << 62) + 64);
        let is_locked =
            |start, bytes| LentHost::new(without_provenance(start), bytes).is_page_locked();
        let parts = [(here, 1), (here + 63, 1), (here - 8, 9), (here - 8, 100), (here + 8, 8)];
        let others = [(here - 8, 8), (here + 64, 8), (here + 8, 0), (here, 0)];
        assert!(parts.iter().all(|&(start, bytes)| !is_locked(start, bytes)));
        host_sees(here, 64);
        host_sees(here, 64);
        for (start, bytes) in parts {
            assert!(is_locked(start, bytes), "{bytes} bytes at {start:#x}");
        }
        for (start, bytes) in others {
            assert!(!is_locked(start, bytes), "{bytes} bytes at {start:#x}");
        }
        host_sees(there, 64);
        host_saw(here as CUdeviceptr);
        assert!(!is_locked(here, 64) && is_locked(there, 64));
        host_saw(there as CUdeviceptr);
        assert!(!is_locked(there, 64));
    }
}
