//! Results of look-ups, remembered.

use core::ffi::c_void;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, Ordering};

/// Where something is, or that it is not there: remembered from the first answer on.
pub(crate) struct Slot(AtomicPtr<c_void>);

/// Not looked for yet. Nothing is at this address.
const UNKNOWN: *mut c_void = ptr::without_provenance_mut(1);

impl Slot {
    pub(crate) const fn new() -> Self {
        Slot(AtomicPtr::new(UNKNOWN))
    }

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
