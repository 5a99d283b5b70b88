//! The calling thread's part in stream captures.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::error::check;
use crate::error::report_drop;
use ffi::{CU_STREAM_CAPTURE_MODE_RELAXED, CUstreamCaptureMode};

/// Runs `f` with stream capture's bans lifted from this thread.
///
/// Without it, while any thread of the process captures in global mode, a wait returns at once with
/// an error, the transfer still running (F100); a free or unload is refused, so that what it was to
/// release stays (F101); and both spoil that capture.
#[inline]
pub(crate) fn relaxed<R>(f: impl FnOnce() -> R) -> R {
    let _relaxed = Relaxed::enter();
    f()
}

/// In force until dropped.
struct Relaxed {
    /// The mode before; none if the driver did not exchange it.
    before: Option<CUstreamCaptureMode>,
}

impl Relaxed {
    #[inline]
    fn enter() -> Relaxed {
        Relaxed { before: exchange(CU_STREAM_CAPTURE_MODE_RELAXED) }
    }
}

impl Drop for Relaxed {
    #[inline]
    fn drop(&mut self) {
        if let Some(before) = self.before {
            exchange(before);
        }
    }
}

/// Sets the calling thread's mode and gives the one before. A failure goes to the hook: there is
/// nothing that the caller could do about it.
#[inline]
fn exchange(mut mode: CUstreamCaptureMode) -> Option<CUstreamCaptureMode> {
    // SAFETY: swaps `mode`, a valid one, with the calling thread's; needs no context.
    let code = unsafe { ffi::cuThreadExchangeStreamCaptureMode(&raw mut mode) };
    match check("cuThreadExchangeStreamCaptureMode", code) {
        Ok(()) => Some(mode),
        Err(error) => {
            report_drop(error.into());
            None
        }
    }
}
