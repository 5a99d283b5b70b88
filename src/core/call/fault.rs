//! Faults that this process knows of. After a fault, work may go on in contexts that did not fault
//! ([F326](crate::driver_facts#F326)).

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a driver call reported a fault.
static SEEN: AtomicBool = AtomicBool::new(false);
/// Whether the driver ever received a host function to call.
static HAS_FUNCTIONS: AtomicBool = AtomicBool::new(false);

/// Notes that a driver call reported a fault.
pub(crate) fn note() {
    SEEN.store(true, Ordering::Release);
}

/// Notes that the driver receives a host function.
pub(crate) fn gives_function() {
    HAS_FUNCTIONS.store(true, Ordering::Release);
}

/// Returns whether a driver call reported a fault. A wait that reported it may have ended before the work did.
pub(crate) fn is_seen() -> bool {
    SEEN.load(Ordering::Acquire)
}

/// Returns whether a host function may still run, or be called, although all waits are over. Destroying its
/// context would then kill the process ([F330](crate::driver_facts#F330)).
pub(crate) fn leaves_functions() -> bool {
    is_seen() && HAS_FUNCTIONS.load(Ordering::Acquire)
}
