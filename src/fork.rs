//! The child of a fork: the driver cannot be used there (F20).
#![allow(unsafe_code, reason = "registers a handler")]

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether this process is the child of one that had initialised the driver.
static CHILD: AtomicBool = AtomicBool::new(false);

/// Whether this process is the child of one that had initialised the driver through this crate.
#[inline]
pub(crate) fn is_child() -> bool {
    CHILD.load(Ordering::Relaxed)
}

/// Notices forks from now on; once is enough.
pub(crate) fn watch() {
    #[cfg(unix)]
    {
        extern "C" fn in_child() {
            CHILD.store(true, Ordering::Relaxed);
            crate::capture_mode::forked();
        }
        static WATCHED: std::sync::Once = std::sync::Once::new();
        WATCHED.call_once(|| {
            // SAFETY: the handler stores to an atomic and to a thread-local without a destructor, which is
            // safe in a forked child. It is never
            // unregistered; if there is no memory for it, forks go unnoticed, as without it.
            let _ = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        });
    }
}
