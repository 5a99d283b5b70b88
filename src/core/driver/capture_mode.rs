//! The calling thread's stream capture mode.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::brand::NotSend;
use crate::call::{Answer, Later, answer};
use crate::driver::fork;
use crate::driver::release::{release, report, report_drop};
use crate::error::DriverError;
use ffi::{
    CU_STREAM_CAPTURE_MODE_RELAXED, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, CUDA_SUCCESS, CUresult,
    CUstreamCaptureMode,
};
use std::cell::Cell;

thread_local! {
    /// The number of [`Relaxed`] values on this thread. They may end in any order.
    static RELAXED: Cell<usize> = const { Cell::new(0) };
    /// The thread's mode before the first of them.
    static BEFORE: Cell<CUstreamCaptureMode> = const { Cell::new(CU_STREAM_CAPTURE_MODE_RELAXED) };
}

/// Makes a driver call with the restrictions of stream capture lifted from this thread, and returns the answer.
///
/// Without this, while any thread of the process captures in global mode, a wait returns at once with an error
/// although the transfer still runs ([F100](crate::driver_facts#F100)); a free or unload is refused, so the
/// resource leaks ([F101](crate::driver_facts#F101)); and both invalidate that capture.
#[inline]
pub(crate) fn relaxed(Later { call, make }: Later<impl Fn() -> CUresult>) -> Answer {
    let code = match at_once(&make) {
        Ok(()) => CUDA_SUCCESS,
        Err(tried) => not_at_once(tried, &make),
    };
    Answer::new(call, code)
}

/// Makes the call directly on a thread that has its stack, whose restrictions are lifted already.
///
/// # Errors
/// The driver's error, or `None` on other threads. Then use [`not_at_once`].
#[inline]
pub(crate) fn at_once(call: &impl Fn() -> CUresult) -> Result<(), Option<CUresult>> {
    if RELAXED.get() == 0 {
        return Err(None);
    }
    match call() {
        CUDA_SUCCESS => Ok(()),
        code => Err(Some(code)),
    }
}

/// Returns the driver's final answer. If a capture refused the call, foreign code changed the thread's mode and
/// did not restore it. The call is then made once more.
#[cold]
#[inline(never)]
pub(crate) fn not_at_once(tried: Option<CUresult>, call: &dyn Fn() -> CUresult) -> CUresult {
    match tried {
        Some(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) if RELAXED.get() > 0 => {
            // The hook of the driver's log may end all others meanwhile: this one then restores the mode.
            RELAXED.set(RELAXED.get() + 1);
            let _last = Relaxed([]);
            let mut mode = CU_STREAM_CAPTURE_MODE_RELAXED;
            let exchanged = exchange(&mut mode).check();
            let code = call();
            match exchanged {
                Ok(()) => report(exchange(&mut mode)),
                Err(error) => report_drop(error.into()),
            }
            code
        }
        None | Some(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) => {
            let _relaxed = Relaxed::or_report();
            call()
        }
        Some(code) => code,
    }
}

/// Makes a releasing call that captures refuse, in relaxed mode. See [`release`].
#[inline]
pub(crate) fn release_relaxed<T: Send + 'static>(
    later: Later<impl Fn() -> CUresult>,
    again: impl FnOnce() -> T,
) {
    // Never in the child of a fork.
    if let Err(tried) = at_once(&later.make) {
        not_released_at_once(later.call, tried, later.make, again);
    }
}

/// Takes the closures by value, so that a call that succeeds stores nothing for them.
#[cold]
#[inline(never)]
fn not_released_at_once<T: Send + 'static>(
    call: &'static str,
    tried: Option<CUresult>,
    make: impl Fn() -> CUresult,
    again: impl FnOnce() -> T,
) {
    release(|| Answer::new(call, not_at_once(tried, &make)), again);
}

/// [`release_relaxed`] for what does not leave the thread of its guard, and so never gets to one of the driver's.
#[inline]
pub(crate) fn release_here(later: Later<impl Fn() -> CUresult>) {
    if let Err(tried) = at_once(&later.make) {
        not_here_at_once(later.call, tried, later.make);
    }
}

/// As [`not_released_at_once`].
#[cold]
#[inline(never)]
fn not_here_at_once(call: &'static str, tried: Option<CUresult>, make: impl Fn() -> CUresult) {
    if !fork::is_child() {
        report(Answer::new(call, not_at_once(tried, &make)));
    }
}

/// Notes that nothing is lifted from the only thread in the child of a fork, where the mode cannot be restored.
#[cfg(unix)]
pub(crate) fn forked() {
    RELAXED.set(0);
}

/// Lifts the restrictions for a part of this thread's work.
#[inline]
pub(crate) fn for_all() -> Option<Relaxed> {
    if RELAXED.get() > 0 { None } else { Relaxed::or_report() }
}

/// Keeps the thread in relaxed mode until this value and all others of the thread are dropped. It stays on its
/// thread.
pub(crate) struct Relaxed(NotSend);

impl Relaxed {
    /// # Errors
    /// A driver error.
    pub(crate) fn enter() -> Result<Relaxed, DriverError> {
        // First, because the hook of the driver's log may take the stack inside the call below, and keep it.
        let outer = RELAXED.replace(RELAXED.get() + 1);
        if outer == 0 {
            let mut before = CU_STREAM_CAPTURE_MODE_RELAXED;
            let exchanged = exchange(&mut before).check();
            exchanged.inspect_err(|_| RELAXED.set(RELAXED.get().saturating_sub(1)))?;
            BEFORE.set(before);
        }
        Ok(Relaxed([]))
    }

    /// For callers that can do nothing about a failure: it goes to the hook.
    fn or_report() -> Option<Relaxed> {
        Relaxed::enter().map_err(|error| report_drop(error.into())).ok()
    }
}

impl Drop for Relaxed {
    fn drop(&mut self) {
        if RELAXED.get() == 1 {
            let mut mode = BEFORE.get();
            // There is none in the child of a fork.
            report(match exchange(&mut mode) {
                // Foreign code set that mode: it stays.
                Answer { code: CUDA_SUCCESS, .. } if mode != CU_STREAM_CAPTURE_MODE_RELAXED => {
                    exchange(&mut mode)
                }
                answer => answer,
            });
        }
        // Last, as for `enter`. There is none in the child of a fork.
        RELAXED.set(RELAXED.get().saturating_sub(1));
    }
}

/// Swaps `mode` with that of the calling thread.
fn exchange(mode: &mut CUstreamCaptureMode) -> Answer {
    // SAFETY: `mode` is valid, and swapped for another valid one; needs no context.
    unsafe { answer!(cuThreadExchangeStreamCaptureMode(mode)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_restrictions_are_lifted_once_for_all() {
        crate::init().unwrap();
        let lifted = for_all();
        assert!(lifted.is_some() && RELAXED.get() == 1);
        assert!(for_all().is_none() && RELAXED.get() == 1, "they are lifted");
        assert!(at_once(&|| CUDA_SUCCESS).is_ok());
        drop(lifted);
        assert_eq!(RELAXED.get(), 0);
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri cannot fork")]
    #[cfg(all(unix, not(loom)))]
    fn in_the_child_of_a_fork_nothing_is_lifted() {
        crate::init().unwrap();
        let _lifted = Relaxed::enter().unwrap();
        assert!(crate::driver::fork::is_true_in_child(|| RELAXED.get() == 0));
        assert_eq!(RELAXED.get(), 1);
    }
}
