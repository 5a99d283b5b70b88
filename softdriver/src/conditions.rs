//! The effects of the plan in force on the devices: little memory, slow copies, kernels that may not run long.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// Bytes of a device's memory.
static MEMORY: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Microseconds that a copy takes longer.
static COPIES: AtomicU64 = AtomicU64::new(0);
/// Microseconds that a kernel may run; 0 for any time.
static TIMEOUT: AtomicU64 = AtomicU64::new(0);

/// Sets them.
pub(crate) fn set(memory: Option<usize>, copies: Option<Duration>, timeout: Option<Duration>) {
    let micros = |time: Option<Duration>| time.map_or(0, |time| time.as_micros() as u64);
    MEMORY.store(memory.unwrap_or(usize::MAX), Ordering::Relaxed);
    COPIES.store(micros(copies), Ordering::Relaxed);
    TIMEOUT.store(micros(timeout), Ordering::Relaxed);
}

/// The bytes that a device of so many has.
pub(crate) fn memory(total: usize) -> usize {
    MEMORY.load(Ordering::Relaxed).min(total)
}

/// Makes a copy slow.
pub(crate) fn slow_copy() {
    match COPIES.load(Ordering::Relaxed) {
        0 => {}
        micros => std::thread::sleep(Duration::from_micros(micros)),
    }
}

/// How long a kernel may run.
pub(crate) fn timeout() -> Option<Duration> {
    match TIMEOUT.load(Ordering::Relaxed) {
        0 => None,
        micros => Some(Duration::from_micros(micros)),
    }
}
