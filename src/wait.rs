//! Waiting: the one way in which this crate blocks on the device.

use crate::capture_mode::{at_once, for_all, not_at_once, relaxed};
use crate::error::{check, is_sticky};
use crate::{Result, fork};
use ffi::{
    CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_NOT_INITIALIZED,
    CUDA_ERROR_NOT_PERMITTED, CUDA_SUCCESS, CUresult,
};
use std::io::Write as _;

/// Runs `wait`, a synchronizing driver call, in relaxed capture mode.
///
/// # Errors
/// What the driver answers; the codes of stream capture mean that it did not wait.
#[inline]
pub(crate) fn wait(call: &'static str, wait: impl Fn() -> CUresult) -> Result {
    match at_once(&wait) {
        Ok(()) => Ok(()),
        Err(tried) => Ok(check(call, settled(tried, &wait))?),
    }
}

/// As [`wait`], for an operation that is in flight and whose memory the caller gets back: when this
/// returns, the device no longer touches it (invariant `waiting-waits`).
///
/// An answer that does not say that the device stopped gets a second try. Aborts if the driver says
/// again that it did not wait: the stream itself is being captured (F103), or this is a host function
/// of a stream, which only foreign code can bring about. Memory that the caller believes to be its
/// own may still be written, so there is nothing sound to return.
///
/// # Errors
/// The first answer.
#[inline]
pub(crate) fn wait_for_memory(call: &'static str, wait: impl Fn() -> CUresult) -> Result {
    match at_once(&wait) {
        Ok(()) => Ok(()),
        Err(tried) => not_waited_at_once(call, tried, &wait),
    }
}

#[cold]
#[inline(never)]
fn not_waited_at_once(
    call: &'static str,
    tried: Option<CUresult>,
    wait: &dyn Fn() -> CUresult,
) -> Result {
    let code = settled(tried, wait);
    if !is_over(code) {
        wait_again(call, wait);
    }
    Ok(check(call, code)?)
}

/// The second try.
fn wait_again(call: &'static str, wait: &dyn Fn() -> CUresult) {
    let again = settled(None, wait);
    if did_not_wait(again) {
        abort(call, again);
    }
}

/// As [`wait_for_memory`], for several waits with one change of the capture mode: when this returns,
/// the device touches nothing of what any of them is for. Waits for the rest when one fails.
///
/// # Errors
/// The first answer that is one.
pub(crate) fn wait_for_all<W: Fn() -> CUresult>(
    call: &'static str,
    waits: impl Iterator<Item = W> + Clone,
) -> Result {
    if waits.clone().next().is_none() {
        return Ok(());
    }
    let (first, sure) = if fork::is_child() {
        (CUDA_ERROR_NOT_INITIALIZED, true)
    } else {
        let _relaxed = for_all();
        waits.clone().map(relaxed).fold((CUDA_SUCCESS, true), |(first, sure), code| {
            (if first == CUDA_SUCCESS { code } else { first }, sure && is_over(code))
        })
    };
    if !sure {
        waits.for_each(|wait| wait_again(call, &wait));
    }
    Ok(check(call, first)?)
}

/// Waits, in relaxed capture mode, if that was not done at once. In the child of a fork, where the driver may
/// wait for ever, the answer is the one that most of its calls give there (F20).
#[cold]
fn settled(tried: Option<CUresult>, wait: &dyn Fn() -> CUresult) -> CUresult {
    if fork::is_child() { CUDA_ERROR_NOT_INITIALIZED } else { not_at_once(tried, wait) }
}

#[cold]
#[inline(never)]
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

/// Whether an answer says that the device no longer works on what was waited for: it is done, or a
/// sticky error stopped the device (F104), or the context is gone and its work with it (F50), or this
/// process has no device (F20).
fn is_over(code: CUresult) -> bool {
    let gone =
        [CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_DEINITIALIZED];
    code == CUDA_SUCCESS || is_sticky(code) || gone.contains(&code)
}

/// Whether a wait returned with the work still running. The codes of stream capture (900 to 908)
/// mean that, and NOT_PERMITTED, should a driver refuse the wait in a host function (F23).
fn did_not_wait(code: CUresult) -> bool {
    code == CUDA_ERROR_NOT_PERMITTED || (900..=908).contains(&code.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn only_refused_waits_mean_that_the_work_still_runs() {
        assert!(did_not_wait(ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED));
        assert!(did_not_wait(ffi::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
        assert!(did_not_wait(CUDA_ERROR_NOT_PERMITTED));
        for stopped in
            [CUDA_SUCCESS, ffi::CUDA_ERROR_LAUNCH_FAILED, ffi::CUDA_ERROR_ILLEGAL_ADDRESS]
        {
            assert!(!did_not_wait(stopped) && is_over(stopped), "{stopped:?}");
        }
    }

    #[test]
    fn an_answer_that_proves_nothing_is_asked_for_again() {
        for (code, waits) in [
            (CUDA_SUCCESS, 1),
            (ffi::CUDA_ERROR_LAUNCH_FAILED, 1),
            (CUDA_ERROR_CONTEXT_IS_DESTROYED, 1),
            (ffi::CUDA_ERROR_UNKNOWN, 2),
            (ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 2),
        ] {
            let waited = Cell::new(0);
            let answer = wait_for_memory("cuStreamSynchronize", || {
                waited.set(waited.get() + 1);
                if waited.get() == 1 { code } else { CUDA_SUCCESS }
            });
            assert_eq!(answer.err().and_then(|e| e.code()).unwrap_or(CUDA_SUCCESS), code);
            assert_eq!(waited.get(), waits, "{code:?}");
        }
    }

    #[test]
    fn all_are_waited_for_also_when_one_fails() {
        let waited = Cell::new(0);
        let codes = [CUDA_SUCCESS, ffi::CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_CONTEXT_IS_DESTROYED];
        let waits = codes.iter().map(|&code| {
            let waited = &waited;
            move || {
                waited.set(waited.get() + 1);
                code
            }
        });
        let answer = wait_for_all("cuStreamSynchronize", waits);
        assert_eq!(answer.unwrap_err().code(), Some(ffi::CUDA_ERROR_LAUNCH_FAILED), "the first");
        assert_eq!(waited.get(), 3, "each says that the device stopped: none is asked again");
    }

    #[test]
    fn one_answer_that_proves_nothing_has_all_asked_again() {
        let waited = Cell::new(0);
        let waits = [CUDA_SUCCESS, ffi::CUDA_ERROR_UNKNOWN].map(|code| {
            let waited = &waited;
            move || {
                waited.set(waited.get() + 1);
                if waited.get() <= 2 { code } else { CUDA_SUCCESS }
            }
        });
        let answer = wait_for_all("cuStreamSynchronize", waits.iter());
        assert_eq!(answer.unwrap_err().code(), Some(ffi::CUDA_ERROR_UNKNOWN));
        assert_eq!(waited.get(), 4);
    }
}
