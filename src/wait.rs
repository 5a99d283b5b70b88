//! Waiting: the one way in which this crate blocks on the device.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::Result;
use crate::error::{check, released};
use ffi::{
    CU_STREAM_CAPTURE_MODE_RELAXED, CUDA_ERROR_NOT_PERMITTED, CUresult, CUstreamCaptureMode,
};
use std::io::Write as _;

/// Lifts stream capture's ban on waiting from this thread, until dropped.
///
/// Without it a capture in global mode on *any* thread of the process makes a wait return at once,
/// with an error, while the transfer still runs, and spoils that capture (F100).
struct Relaxed {
    before: CUstreamCaptureMode,
}

impl Relaxed {
    fn enter() -> Relaxed {
        let mut relaxed = Relaxed { before: CU_STREAM_CAPTURE_MODE_RELAXED };
        relaxed.exchange();
        relaxed
    }

    fn exchange(&mut self) {
        let mode = &raw mut self.before;
        // SAFETY: swaps `*mode`, a valid mode, with the calling thread's; needs no context.
        let code = unsafe { ffi::cuThreadExchangeStreamCaptureMode(mode) };
        released("cuThreadExchangeStreamCaptureMode", code);
    }
}

impl Drop for Relaxed {
    fn drop(&mut self) {
        self.exchange();
    }
}

/// Runs `wait`, a synchronizing driver call, in relaxed capture mode.
///
/// # Errors
/// What the driver answers; the codes of stream capture mean that it did not wait.
pub(crate) fn wait(call: &'static str, wait: impl FnOnce() -> CUresult) -> Result {
    Ok(check(call, relaxed(wait))?)
}

/// As [`wait`], for an operation that is in flight and whose memory the caller gets back: when this
/// returns, the device no longer touches it (invariant `waiting-waits`).
///
/// Aborts if the driver says that it did not wait: the stream itself is being captured (F103), or this
/// is a host function of a stream, which only foreign code can bring about. Memory that the caller believes to be its own may still be
/// written, so there is nothing sound to return.
pub(crate) fn wait_for_memory(call: &'static str, wait: impl FnOnce() -> CUresult) -> Result {
    let code = relaxed(wait);
    if did_not_wait(code) {
        abort(call, code);
    }
    Ok(check(call, code)?)
}

fn relaxed(wait: impl FnOnce() -> CUresult) -> CUresult {
    let _relaxed = Relaxed::enter();
    wait()
}

#[cold]
fn abort(call: &str, code: CUresult) -> ! {
    // Not `eprintln`, which panics where stderr is closed.
    let _ = writeln!(
        std::io::stderr(),
        "cuscope: `{call}` returned {} without waiting: foreign code captures a stream of this crate, or \
         calls it from a host function, and memory in use cannot be protected. Aborting.",
        code.0
    );
    std::process::abort()
}

/// Whether a wait returned with the work still running. The codes of stream capture (900 to 908)
/// mean that, and NOT_PERMITTED, should a driver refuse the wait in a host function (F23); a sticky
/// error means that the device stopped (F104).
fn did_not_wait(code: CUresult) -> bool {
    code == CUDA_ERROR_NOT_PERMITTED || (900..=908).contains(&code.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ffi::*;

    #[test]
    fn only_refused_waits_mean_that_the_work_still_runs() {
        assert!(did_not_wait(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED));
        assert!(did_not_wait(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
        assert!(did_not_wait(CUDA_ERROR_NOT_PERMITTED));
        for stopped in [
            CUDA_SUCCESS,
            CUDA_ERROR_LAUNCH_FAILED,
            CUDA_ERROR_ILLEGAL_ADDRESS,
            CUDA_ERROR_CONTEXT_IS_DESTROYED,
        ] {
            assert!(!did_not_wait(stopped), "{stopped:?}");
        }
    }
}
