//! Whether the driver can be used in this process.
#![allow(unsafe_code, reason = "a function that is called at the exit")]

use std::sync::atomic::{AtomicBool, Ordering};

/// True between `cuInit` and the end of the process or the fork that made it.
pub(crate) static READY: AtomicBool = AtomicBool::new(false);
/// Whether this process is the child of one that used the driver (F20).
static FORKED: AtomicBool = AtomicBool::new(false);
/// Whether the process is after its exit handlers (F654).
static ENDED: AtomicBool = AtomicBool::new(false);

/// Whether the driver can be used.
#[inline]
pub(crate) fn ready() -> bool {
    READY.load(Ordering::Acquire)
}

/// Whether this is a child of a process that used the driver.
pub(crate) fn forked() -> bool {
    FORKED.load(Ordering::Acquire)
}

/// Whether the process is after its exit handlers.
#[inline]
pub(crate) fn ended() -> bool {
    ENDED.load(Ordering::Relaxed)
}

/// Has all calls refused after the exit handlers that the program sets from now on. Not where the statics of a thread end
/// after these, as under Windows.
pub(crate) fn end_at_exit() {
    if cfg!(any(not(unix), miri)) {
        return;
    }
    extern "C" fn end() {
        ENDED.store(true, Ordering::Relaxed);
    }
    // SAFETY: a function of C without obligations, which stores to a static.
    let _ = unsafe { libc::atexit(end) };
}

/// In the child of a fork: no thread of this driver is there, so that every call is refused. (The
/// real driver still takes work for streams there, and the waits for it may hang.)
#[cfg(unix)]
pub(crate) extern "C" fn after_fork() {
    FORKED.store(true, Ordering::Release);
    READY.store(false, Ordering::Release);
}
