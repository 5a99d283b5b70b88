//! Where a function is found, remembered. Also built into `tests/loom.rs`, on loom's atomics.

use super::sync::{AtomicPtr, Ordering};
use core::ffi::c_void;
use core::ptr::{self, NonNull};

/// Where a function is found, or that it is not: remembered from the first answer on.
pub(crate) struct Slot(pub(crate) AtomicPtr<c_void>);

/// Not looked for yet. No function is at this address.
pub(crate) const UNKNOWN: *mut c_void = ptr::without_provenance_mut(1);

impl Slot {
    /// Returns the answer of `find`, which is null for nothing.
    pub(crate) fn get(&self, find: impl FnOnce() -> *mut c_void) -> Option<NonNull<c_void>> {
        // two threads may both look: they find the same
        let mut found = self.0.load(Ordering::Acquire);
        if found == UNKNOWN {
            found = find();
            self.0.store(found, Ordering::Release);
        }
        NonNull::new(found)
    }
}
