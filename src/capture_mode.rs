//! The calling thread's part in stream captures.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::error::{DriverError, check, release, report_drop};
use ffi::{
    CU_STREAM_CAPTURE_MODE_RELAXED, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, CUDA_SUCCESS, CUresult,
    CUstreamCaptureMode,
};
use std::cell::Cell;

const EXCHANGE: &str = "cuThreadExchangeStreamCaptureMode";

thread_local! {
    /// Whether a [`Relaxed`] is in force.
    static RELAXED: Cell<bool> = const { Cell::new(false) };
}

/// Makes a call of the driver with stream capture's bans lifted from this thread: what it answers.
///
/// Without that, while any thread of the process captures in global mode, a wait returns at once with an
/// error, the transfer still running (F100); a free or unload is refused, so that what it was to release
/// stays (F101); and both spoil that capture.
#[inline]
pub(crate) fn relaxed(call: impl Fn() -> CUresult) -> CUresult {
    match at_once(&call) {
        Ok(()) => CUDA_SUCCESS,
        Err(tried) => not_at_once(tried, &call),
    }
}

/// The same where nothing has to be done for it: on a thread that has its stack, whose bans are lifted.
///
/// # Errors
/// What the driver answered, or `None` elsewhere: then [`not_at_once`].
#[inline]
pub(crate) fn at_once(call: &impl Fn() -> CUresult) -> Result<(), Option<CUresult>> {
    if !RELAXED.get() {
        return Err(None);
    }
    match call() {
        CUDA_SUCCESS => Ok(()),
        code => Err(Some(code)),
    }
}

/// What the driver answers in the end. If a capture refused the call, foreign code changed the thread's mode
/// and did not restore it: it is made once more.
#[cold]
#[inline(never)]
pub(crate) fn not_at_once(tried: Option<CUresult>, call: &dyn Fn() -> CUresult) -> CUresult {
    match tried {
        Some(code) if code != CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED => code,
        _ => {
            let _relaxed = Relaxed::or_report();
            call()
        }
    }
}

/// Nothing is lifted from the one thread of a child of a fork, where that cannot be given back.
pub(crate) fn forked() {
    RELAXED.set(false);
}

/// Lifts the bans for a part of what this thread does.
#[inline]
pub(crate) fn for_all() -> Option<Relaxed> {
    if RELAXED.get() { None } else { Relaxed::or_report() }
}

/// The thread's mode is the relaxed one until this is dropped. It stays on its thread.
pub(crate) struct Relaxed {
    /// The mode before.
    before: CUstreamCaptureMode,
    /// Whether an outer one was in force.
    outer: bool,
}

impl Relaxed {
    /// # Errors
    /// What the driver answers.
    pub(crate) fn enter() -> Result<Relaxed, DriverError> {
        let mut before = CU_STREAM_CAPTURE_MODE_RELAXED;
        check(EXCHANGE, exchange(&mut before))?;
        Ok(Relaxed { before, outer: RELAXED.replace(true) })
    }

    /// Where there is nothing that the caller could do about a failure: it goes to the hook.
    fn or_report() -> Option<Relaxed> {
        Relaxed::enter().map_err(|error| report_drop(error.into())).ok()
    }
}

impl Drop for Relaxed {
    fn drop(&mut self) {
        let mut mode = self.before;
        release(EXCHANGE, || {
            RELAXED.set(self.outer);
            let code = exchange(&mut mode);
            if mode != CU_STREAM_CAPTURE_MODE_RELAXED && code == CUDA_SUCCESS && !self.outer {
                // Foreign code set that: it stays.
                return exchange(&mut mode);
            }
            code
        });
    }
}

/// Swaps `mode` with that of the calling thread.
fn exchange(mode: &mut CUstreamCaptureMode) -> CUresult {
    // SAFETY: `mode` is valid, and swapped for another valid one; needs no context.
    unsafe { ffi::cuThreadExchangeStreamCaptureMode(mode) }
}
