//! The child of a fork: the driver cannot be used there ([F20](crate::driver_facts#F20)).
#![allow(unsafe_code, reason = "its tests fork")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Whether this process is the child of a process that had initialised the driver.
static CHILD: AtomicBool = AtomicBool::new(false);

/// Returns whether this process is the child of a process that had initialised the driver through this crate.
#[inline]
pub(crate) fn is_child() -> bool {
    CHILD.load(Ordering::Relaxed)
}

/// This process is such a child from now on. Stores to an atomic.
#[cfg(unix)]
pub(crate) fn happened() {
    CHILD.store(true, Ordering::Relaxed);
}

/// Locks a mutex. In the child of a fork a lock that another thread of the parent held is never opened; returns
/// `None` then.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    if !is_child() {
        return Some(mutex.lock().unwrap_or_else(PoisonError::into_inner));
    }
    match mutex.try_lock() {
        Ok(locked) => Some(locked),
        Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Runs `f` in the child of a fork: whether it was true there. A child that waits is a failure.
#[cfg(all(test, unix, not(loom)))]
pub(crate) fn is_true_in_child(f: impl FnOnce() -> bool) -> bool {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    crate::init().unwrap();
    // SAFETY: the child runs `f`, which waits for no lock of another thread, and leaves at once.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let done = catch_unwind(AssertUnwindSafe(f)).unwrap_or(false);
        // SAFETY: leaves without destructors.
        unsafe { libc::_exit(if done { 0 } else { 1 }) };
    }
    is_true_of_child(pid)
}

/// Waits for a child that was forked: whether it succeeded. One that waits is a failure.
#[cfg(all(test, unix, not(loom)))]
pub(crate) fn is_true_of_child(pid: libc::pid_t) -> bool {
    use std::time::{Duration, Instant};
    let start = Instant::now();
    loop {
        let mut status = 0;
        // SAFETY: waits for a child of this process; `status` is valid for one `c_int`.
        if unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) } == pid {
            return status == 0;
        }
        if start.elapsed() > Duration::from_secs(120) {
            // SAFETY: a child of this process, which was not waited for yet.
            unsafe { libc::kill(pid, libc::SIGKILL) };
            panic!("the child of the fork hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(all(test, unix, not(loom)))]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "Miri cannot fork")]
    fn a_lock_of_another_thread_is_not_waited_for_in_the_child() {
        let (taken, free) = (Mutex::new(1), Mutex::new(2));
        let held = taken.lock();
        assert!(is_true_in_child(|| lock(&taken).is_none() && lock(&free).is_some()));
        drop(held);
        assert!(is_true_in_child(|| lock(&taken).is_some()));
        assert!(!is_child() && lock(&taken).is_some());
    }

    #[test]
    fn a_lock_of_another_thread_is_waited_for_elsewhere() {
        let (mutex, (begins, begun)) = (Mutex::new(()), std::sync::mpsc::channel());
        std::thread::scope(|s| {
            let held = mutex.lock();
            let waits = s.spawn(|| {
                begins.send(()).unwrap();
                lock(&mutex).is_some()
            });
            begun.recv().unwrap();
            // Most of the time, the other thread waits by now.
            std::thread::sleep(std::time::Duration::from_millis(20));
            drop(held);
            assert!(waits.join().unwrap());
        });
    }
}
