//! The calls that enqueue signals and waits.
#![allow(unsafe_code, reason = "calls the driver")]

use super::{Signals, Waits};
use crate::call::{answer, name};
use crate::error::Result;
use ffi::CUstream;

pub(crate) const SIGNAL: &str = name!(cuSignalExternalSemaphoresAsync);
pub(crate) const WAIT: &str = name!(cuWaitExternalSemaphoresAsync);

/// Enqueues signals.
///
/// # Safety
/// 1. The stream is alive, and so are the semaphores until it is past the signals.
#[inline]
pub(crate) unsafe fn signal(stream: CUstream, signals: &Signals) -> Result {
    let (semaphores, params, count) = signals.raw();
    if signals.is_empty() {
        return Ok(());
    }
    // SAFETY: as many parameters as semaphores, which are copied. All are alive (1).
    unsafe { answer!(cuSignalExternalSemaphoresAsync(semaphores, params, count, stream)) }.result()
}

/// Enqueues waits.
///
/// # Safety
/// 1. The stream is alive, and so are the semaphores until it is past the waits.
#[inline]
pub(crate) unsafe fn wait(stream: CUstream, waits: &Waits) -> Result {
    let (semaphores, params, count) = waits.raw();
    if waits.is_empty() {
        return Ok(());
    }
    // SAFETY: as many parameters as semaphores, which are copied. All are alive (1).
    unsafe { answer!(cuWaitExternalSemaphoresAsync(semaphores, params, count, stream)) }.result()
}
