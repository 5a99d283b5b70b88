//! Waits: the only place where this crate blocks on the device.

use crate::call::{Answer, Later};
use crate::driver::capture_mode::{at_once, for_all, not_at_once, relaxed};
use crate::driver::fork;
use crate::driver::release::must_not_wait;
use crate::error::{Result, is_sticky};
use crate::registry::{LentHost, is_alone, may_be_green};
use ffi::{
    CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_NOT_INITIALIZED,
    CUDA_ERROR_NOT_PERMITTED, CUDA_SUCCESS, CUresult,
};
use std::io::Write as _;
use std::time::{Duration, Instant};

/// Runs `wait`, a synchronizing driver call, in relaxed capture mode.
///
/// # Errors
/// A driver error. The error codes of stream capture mean that it did not wait.
#[inline]
pub(crate) fn wait(Later { call, make }: Later<impl Fn() -> CUresult>) -> Result {
    match at_once(&make) {
        Ok(()) => Ok(()),
        Err(tried) => Ok(Answer::new(call, settled(tried, &make)).check()?),
    }
}

/// Waits for an operation in flight whose memory the caller gets back. See [`wait`].
///
/// When this returns, the device no longer touches the memory (invariant
/// [`waiting-waits`](crate::soundness#waiting-waits)). `context` is the [key](Context::key) of its context, and
/// `host` is the host memory among it.
///
/// If the driver's answer does not prove that the work is over, this waits a second time. If that does not
/// prove it either, this aborts: the device may still write memory that the caller believes it owns, so no
/// return value would be sound.
///
/// # Errors
/// The first answer.
#[inline]
pub(crate) fn wait_for_memory(
    Later { call, make }: Later<impl Fn() -> CUresult>,
    context: usize,
    host: LentHost,
) -> Result {
    match at_once(&make) {
        Ok(()) => Ok(()),
        Err(tried) => not_waited_at_once(call, context, host, tried, &make),
    }
}

#[cold]
#[inline]
fn not_waited_at_once(
    call: &'static str,
    context: usize,
    host: LentHost,
    tried: Option<CUresult>,
    wait: &dyn Fn() -> CUresult,
) -> Result {
    let answer = Answer::new(call, settled(tried, wait));
    match Work::behind(answer.code) {
        Work::Over => {}
        Work::Lost => stopped_or_abort(answer, context, host),
        Work::Unknown => wait_again(call, context, host, wait),
    }
    Ok(answer.check()?)
}

/// Waits the second time.
#[inline]
fn wait_again(call: &'static str, context: usize, host: LentHost, wait: &dyn Fn() -> CUresult) {
    let again = Answer::new(call, settled(None, wait));
    match Work::behind(again.code) {
        Work::Over => {}
        Work::Lost => stopped_or_abort(again, context, host),
        Work::Unknown => abort(again, NOT_WAITED),
    }
}

/// Waits several times with one change of the capture mode. See [`wait_for_memory`].
///
/// When this returns, the device touches nothing that any of the waits is for. If one wait fails, the others
/// are still made.
///
/// # Errors
/// The first answer that is an error.
pub(crate) fn wait_for_all<W: Fn() -> CUresult>(
    waits: impl Iterator<Item = Later<W>> + Clone,
    context: usize,
    host: LentHost,
) -> Result {
    let Some(Later { call, .. }) = waits.clone().next() else { return Ok(()) };
    let answer = |wait: Later<W>| {
        if fork::is_child() {
            Answer::new(wait.call, CUDA_ERROR_NOT_INITIALIZED)
        } else {
            relaxed(wait)
        }
    };
    let mut first = Answer::new(call, CUDA_SUCCESS);
    let mut work = Work::Over;
    {
        let _relaxed = if fork::is_child() { None } else { for_all() };
        for answer in waits.clone().map(answer) {
            if first.code == CUDA_SUCCESS {
                first = answer;
            }
            work = work.max(Work::behind(answer.code));
        }
    }
    match work {
        Work::Over => {}
        Work::Lost => stopped_or_abort(first, context, host),
        Work::Unknown => waits.for_each(|wait| wait_again(wait.call, context, host, &wait.make)),
    }
    Ok(first.check()?)
}

/// Asks until the answer is yes or an error, or until the time is over. Returns the last answer.
#[inline]
pub(crate) fn ready_within(limit: Duration, ready: &dyn Fn() -> Result<bool>) -> Result<bool> {
    const LONGEST: Duration = Duration::from_millis(1);
    let start = Instant::now();
    loop {
        // Before the question, so that the last one is asked when the time is over.
        let waited = start.elapsed();
        if ready()? {
            return Ok(true);
        }
        let Some(left) = limit.checked_sub(waited).filter(|left| !left.is_zero()) else {
            return Ok(false);
        };
        std::thread::sleep((waited / 8).min(LONGEST).min(left));
    }
}

/// The state of the work that the answer to a wait proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    /// It is over.
    Over,
    /// A kernel faulted. If it was in another context, the work goes on, and nothing reports when it is over or
    /// which context it was ([F326](crate::driver_facts#F326), [F332](crate::driver_facts#F332)). No driver
    /// call can access device memory any more ([F60](crate::driver_facts#F60)), but the work may use
    /// page-locked host memory.
    Lost,
    /// It may go on.
    Unknown,
}

impl Work {
    #[inline]
    fn behind(code: CUresult) -> Work {
        match code {
            CUDA_SUCCESS => Work::Over,
            // This process has no device: it is the child of a fork (F20), or ends.
            CUDA_ERROR_NOT_INITIALIZED | CUDA_ERROR_DEINITIALIZED => Work::Over,
            // The destruction of a context waits for its work (F50). That of a green one does not (F134).
            CUDA_ERROR_CONTEXT_IS_DESTROYED if !may_be_green() => Work::Over,
            code if is_sticky(code) => Work::Lost,
            _ => Work::Unknown,
        }
    }
}

/// Aborts after a fault if the device may still use page-locked host memory that the caller gets back.
///
/// In the context that faulted, the work is over when the fault is reported ([F327](crate::driver_facts#F327)).
/// Destroying another context would stop the device ([F328](crate::driver_facts#F328)), but kills the process
/// if other threads use the context or a host function runs in it ([F330](crate::driver_facts#F330)).
#[inline]
fn stopped_or_abort(answer: Answer, context: usize, host: LentHost) {
    if host.is_page_locked() && !is_alone(context) {
        abort(answer, LOST);
    }
}

/// Waits for work that uses memory which its owner wants to free, if need be twice. Returns the first answer, and
/// whether that work is certainly over. `context` is the [key](crate::Context::key) of the context that does it.
#[inline]
pub(crate) fn wait_to_free(
    Later { call, make }: Later<impl Fn() -> CUresult>,
    context: usize,
) -> (Result, bool) {
    let tried = match at_once(&make) {
        Ok(()) => return (Ok(()), true),
        Err(tried) => tried,
    };
    if must_not_wait() {
        return (Answer::new(call, CUDA_ERROR_NOT_PERMITTED).result(), false);
    }
    let answer = Answer::new(call, settled(tried, &make));
    let is_over = |code| match Work::behind(code) {
        Work::Over => Some(true),
        // In its own context, a fault ends the work before it is reported.
        Work::Lost => Some(is_alone(context)),
        Work::Unknown => None,
    };
    let again = || is_over(settled(None, &make));
    let over = is_over(answer.code).or_else(again).unwrap_or(false);
    (answer.result(), over)
}

/// Waits in relaxed capture mode, unless the first try already did. In the child of a fork, where the driver
/// may wait for ever, returns the error that most of its calls return there ([F20](crate::driver_facts#F20)).
#[cold]
#[inline]
fn settled(tried: Option<CUresult>, wait: &dyn Fn() -> CUresult) -> CUresult {
    if fork::is_child() { CUDA_ERROR_NOT_INITIALIZED } else { not_at_once(tried, wait) }
}

const NOT_WAITED: &str = "foreign code captures a stream of this crate or calls this crate from a \
                          host function, or the driver cannot tell whether the work is complete: \
                          memory in use cannot be protected";
const LOST: &str = "a kernel faulted, and the process has several contexts: the device may still \
                    use page-locked or managed memory that this operation or scope lent, and nothing \
                    reports when it stops";

#[cold]
#[inline]
fn abort(Answer { call, code }: Answer, why: &str) -> ! {
    // Not `eprintln`, which panics if stderr is closed.
    let _ = writeln!(
        std::io::stderr(),
        "cuscope: `{call}` returned {} without waiting: {why}. Aborting.",
        code.0
    );
    std::process::abort()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::name;
    use std::cell::Cell;

    fn later<F: Fn() -> CUresult>(make: F) -> Later<F> {
        Later { call: name!(cuStreamSynchronize), make }
    }

    #[test]
    fn an_answer_says_that_the_work_is_over_or_lost_or_nothing() {
        let behind =
            |codes: &[CUresult]| codes.iter().map(|&code| Work::behind(code)).collect::<Vec<_>>();
        let no_device = [CUDA_SUCCESS, CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_DEINITIALIZED];
        assert_eq!(behind(&no_device), [Work::Over; 3]);
        let faults = [ffi::CUDA_ERROR_LAUNCH_FAILED, ffi::CUDA_ERROR_ILLEGAL_ADDRESS];
        assert_eq!(behind(&faults), [Work::Lost; 2]);
        let refused = [
            ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            ffi::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
            ffi::CUDA_ERROR_NOT_PERMITTED,
            ffi::CUDA_ERROR_UNKNOWN,
        ];
        assert_eq!(behind(&refused), [Work::Unknown; 4]);
    }

    #[test]
    fn an_answer_that_proves_nothing_is_asked_for_again() {
        for (code, waits) in [
            (CUDA_SUCCESS, 1),
            (ffi::CUDA_ERROR_LAUNCH_FAILED, 1),
            (ffi::CUDA_ERROR_UNKNOWN, 2),
            (ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 2),
        ] {
            let waited = Cell::new(0);
            let wait = later(|| {
                waited.set(waited.get() + 1);
                if waited.get() == 1 { code } else { CUDA_SUCCESS }
            });
            let answer = wait_for_memory(wait, 0, LentHost::NONE);
            assert_eq!(answer.err().and_then(|e| e.code()).unwrap_or(CUDA_SUCCESS), code);
            assert_eq!(waited.get(), waits, "{code:?}");
        }
    }

    #[test]
    fn all_are_waited_for_also_when_one_fails() {
        let waited = Cell::new(0);
        let codes = [CUDA_SUCCESS, ffi::CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_NOT_INITIALIZED];
        let waits = codes.iter().map(|&code| {
            let waited = &waited;
            later(move || {
                waited.set(waited.get() + 1);
                code
            })
        });
        let answer = wait_for_all(waits, 0, LentHost::NONE);
        assert_eq!(answer.unwrap_err().code(), Some(ffi::CUDA_ERROR_LAUNCH_FAILED), "the first");
        assert_eq!(waited.get(), 3, "none is asked again");
    }

    #[test]
    fn one_answer_that_proves_nothing_has_all_asked_again() {
        let waited = Cell::new(0);
        let waits = [CUDA_SUCCESS, ffi::CUDA_ERROR_UNKNOWN].map(|code| {
            let waited = &waited;
            later(move || {
                waited.set(waited.get() + 1);
                if waited.get() <= 2 { code } else { CUDA_SUCCESS }
            })
        });
        let answer = wait_for_all(waits.iter().copied(), 0, LentHost::NONE);
        assert_eq!(answer.unwrap_err().code(), Some(ffi::CUDA_ERROR_UNKNOWN));
        assert_eq!(waited.get(), 4);
    }
}
