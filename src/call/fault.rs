//! What this process knows of a fault, behind which work may go on in contexts that did not fault (F326).

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a driver call reported a fault.
static SEEN: AtomicBool = AtomicBool::new(false);
/// Whether the driver was ever given a function of the host to call.
static HAS_FUNCTIONS: AtomicBool = AtomicBool::new(false);

/// A driver call reported a fault.
pub(crate) fn note() {
    SEEN.store(true, Ordering::Release);
}

/// The driver is given a function of the host.
pub(crate) fn gives_function() {
    HAS_FUNCTIONS.store(true, Ordering::Release);
}

/// Whether a driver call reported a fault. A wait that did so may have been over before the work was.
pub(crate) fn is_seen() -> bool {
    SEEN.load(Ordering::Acquire)
}

/// Whether a function of the host may still run, or be called, although all waits are over. The end of its
/// context would then kill the process (F330).
pub(crate) fn leaves_functions() -> bool {
    is_seen() && HAS_FUNCTIONS.load(Ordering::Acquire)
}
