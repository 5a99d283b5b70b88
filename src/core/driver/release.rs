//! Releases in destructors, which cannot return an error: those that fail are reported, and those that the driver
//! refuses only on this thread are made later, on another one.
#![allow(unsafe_code, reason = "asks the driver whether it refuses everything on this thread")]

use crate::call::Answer;
use crate::driver::fork;
use crate::error::{Error, Result};
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, LocalKey, Mutex, RwLock, arc, shared_static, thread_flag};
use ffi::{CUDA_ERROR_NOT_PERMITTED, CUresult};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::PoisonError;

type Hook = Arc<dyn Fn(&Error) + Send + Sync>;
shared_static! { static HOOK: RwLock<Option<Hook>> = RwLock::new(None); }

thread_flag! {
    /// Whether this thread runs the hook.
    static IN_HOOK;
    /// Whether this thread runs a subscriber of `tracing`.
    static IN_SUBSCRIBER;
    /// Whether this thread drops what waits.
    static CATCHING_UP;
    /// Whether the driver runs a function of the program on this thread.
    static IN_FUNCTION;
}

/// A value that is dropped later.
struct Waiting {
    value: Box<dyn Send>,
    next: Option<Box<Waiting>>,
}

shared_static! {
    /// The values that wait to be dropped, the latest first. While it is locked, nothing is allocated and nothing
    /// freed, so no code of the program runs.
    static WAITING: Mutex<Option<Box<Waiting>>> = Mutex::new(None);
    /// Whether there are any.
    static ANY: AtomicBool = AtomicBool::new(false);
}

/// Sets the hook for errors that a `Drop` of this crate cannot return: a free, unload, destroy or pop that
/// failed, and an access that a guarded kernel did not make, if nobody waited for it.
///
/// It replaces the previous hook. Without a hook such errors are ignored. A resource that the driver refuses to
/// release is gone ([F42](crate::driver_facts#F42), [F60](crate::driver_facts#F60)), or stays allocated until
/// its context ends (a free while foreign code captures, [F101](crate::driver_facts#F101)). A context that
/// could not be popped is kept alive.
///
/// The hook does not receive a release that the driver refuses because the thread runs a [host
/// function](crate::SyncStream::host_function) or a waker: that release is made later, and reported if it fails
/// then.
///
/// If the hook panics, the panic ends there. A release that fails inside the hook, on the same thread, is not
/// reported to it again. With the feature `tracing` each failure is an event as well, except failures inside
/// the subscriber that receives it, and those of NVRTC as long as there was no hook.
///
/// # Examples
/// ```
/// cuscope::on_release_error(|error| eprintln!("not released: {error}"));
/// ```
pub fn on_release_error(hook: impl Fn(&Error) + Send + Sync + 'static) {
    #[cfg(feature = "nvrtc-load")]
    cuscope_nvrtc::on_destroy_error(|error| report_drop(error.into()));
    let hook: Hook = arc!(hook, dyn Fn(&Error) + Send + Sync);
    // If another thread of the parent held the lock at a fork, nothing is set in the child.
    let locked = if fork::is_child() {
        HOOK.try_write().ok()
    } else {
        Some(HOOK.write().unwrap_or_else(PoisonError::into_inner))
    };
    let before = locked.and_then(|mut set| set.replace(hook));
    // After the lock: objects that the previous hook owns may release handles, or set another hook.
    drop(before);
}

/// Makes a call that releases the resource of a value. The hook receives its error. If the driver refuses the call
/// only on this thread, the value that `again` returns is dropped [later](put_off). It owns the resource then, and
/// what the resource needs, such as its context; the caller owns the resource no more.
///
/// In the child of a fork nothing is called and nothing released: the resources belong to the parent, and calls may
/// hang ([F20](crate::driver_facts#F20)).
#[inline]
pub(crate) fn release<T: Send + 'static>(f: impl FnOnce() -> Answer, again: impl FnOnce() -> T) {
    if !fork::is_child() {
        catch_up();
        released(f(), again);
    }
}

/// Takes the answer of a releasing call. See [`release`]. Never panics: it runs in destructors.
#[inline]
pub(crate) fn released<T: Send + 'static>(answer: Answer, again: impl FnOnce() -> T) {
    if answer.code != ffi::CUDA_SUCCESS {
        refused(answer, again);
    }
}

#[cold]
fn refused<T: Send + 'static>(answer: Answer, again: impl FnOnce() -> T) {
    if is_not_now(answer.code) {
        put_off(again());
    } else {
        report(answer);
    }
}

/// Reports the answer of a call to the hook if it is an error. For calls that no thread makes later.
#[inline]
pub(crate) fn report(answer: Answer) {
    if let Err(error) = answer.check() {
        report_drop(error.into());
    }
}

/// Returns whether the driver refused a call because this thread is its own and runs a host function, or a waker: the
/// same call works on another thread. This is the one place that decides so.
///
/// The driver refuses nearly every call there, with a code that has other meanings too
/// ([F23](crate::driver_facts#F23), [F135](crate::driver_facts#F135)). So the driver is asked for something that it
/// refuses only there.
#[cold]
pub(crate) fn is_not_now(code: CUresult) -> bool {
    code == CUDA_ERROR_NOT_PERMITTED && !fork::is_child() && (must_not_wait() || refuses_all())
}

/// [`is_not_now`] of an error.
#[cold]
#[inline]
pub(crate) fn is_for_later<T>(result: &Result<T>) -> bool {
    let code = result.as_ref().err().and_then(Error::code);
    code.is_some_and(is_not_now)
}

/// Runs a function of the program in a call from the driver, on one of its threads. It does not unwind.
pub(crate) fn in_function(f: impl FnOnce()) {
    let set = |inside| IN_FUNCTION.try_with(|flag| flag.set(inside)).unwrap_or(());
    set(true);
    f();
    set(false);
}

/// Returns whether this thread must not wait: the driver runs a function of the program on it. Unlike other calls, it does
/// not refuse a wait for a stream or event there. A wait for the stream that the function is in would never end.
#[inline]
pub(crate) fn must_not_wait() -> bool {
    IN_FUNCTION.try_with(Cell::get).unwrap_or(false)
}

/// Returns whether this thread is one of the driver's, which refuses all calls that need a context there.
#[cold]
fn refuses_all() -> bool {
    let mut top = ptr::null_mut();
    // SAFETY: writes one handle to `top`, which is valid for it; needs no context (F4).
    let code = unsafe { ffi::cuCtxGetCurrent(&raw mut top) };
    code == CUDA_ERROR_NOT_PERMITTED
}

/// Drops a value later, on a thread where the driver refuses nothing (invariant
/// [`released-later`](crate::soundness#released-later)). Values are dropped in the order in which they were put off.
#[cold]
pub(crate) fn put_off(value: impl Send + 'static) {
    let mut last = Box::new(Waiting { value: Box::new(value), next: None });
    let mut waiting = lock(&WAITING);
    last.next = waiting.take();
    *waiting = Some(last);
    ANY.store(true, Ordering::Relaxed);
}

fn lock<T>(mutex: &Mutex<T>) -> impl std::ops::DerefMut<Target = T> + '_ {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Drops what was [put off](put_off), unless this is a thread of the driver. Looks at one flag if there is nothing.
///
/// Releases call this, waits for a context, operations that have waited for a host function or for a graph that has some,
/// whatever may initialise the driver, and an allocation that finds no memory. An operation that adds a function to a stream
/// does not: some releases wait for the device, and the function may wait for this thread.
#[inline]
pub(crate) fn catch_up() {
    // Another thread may see the flag late: then the next look finds it.
    if ANY.load(Ordering::Relaxed) {
        drop_waiting();
    }
}

#[cold]
fn drop_waiting() {
    if fork::is_child() || must_not_wait() || refuses_all() {
        return;
    }
    // A drop may release more, and come here again.
    not_inside(&CATCHING_UP, || {
        let mut waiting = {
            let mut waiting = lock(&WAITING);
            ANY.store(false, Ordering::Relaxed);
            waiting.take()
        };
        let mut first = None;
        while let Some(mut next) = waiting {
            waiting = std::mem::replace(&mut next.next, first);
            first = Some(next);
        }
        while let Some(mut next) = first {
            first = next.next.take();
            drop_contained(next.value);
        }
    });
}

/// Reports an error to the hook. See [`report`].
#[cold]
pub(crate) fn report_drop(error: Error) {
    not_inside(&IN_SUBSCRIBER, || not_released(&error));
    not_inside(&IN_HOOK, || {
        // Not held during the call: the hook may drop handles or set another hook.
        let locked = if fork::is_child() {
            HOOK.try_read().ok()
        } else {
            Some(HOOK.read().unwrap_or_else(PoisonError::into_inner))
        };
        let Some(hook) = locked.and_then(|set| set.clone()) else { return };
        contained(|| hook(&error));
        // A hook that was replaced meanwhile ends here, with everything that it owns.
        drop_contained(hook);
    });
}

/// Reports a release that failed where no result could be returned. Runs the subscriber.
#[cfg(feature = "tracing")]
fn not_released(error: &Error) {
    tracing::error!(target: "cuscope", %error, "not released");
}

#[cfg(not(feature = "tracing"))]
#[inline]
fn not_released(_: &Error) {}

/// Runs `f`, which calls a function of the program, unless this thread already runs that function. The
/// function's own calls may fail, and would be reported to it without end. Ends a panic of `f`.
pub(crate) fn not_inside(inside: &'static LocalKey<Cell<bool>>, f: impl FnOnce()) {
    // When a thread ends, its statics may be gone: then nothing is called.
    if inside.try_with(|inside| inside.replace(true)).unwrap_or(true) {
        return;
    }
    contained(f);
    let _ = inside.try_with(|inside| inside.set(false));
}

/// Runs foreign code, and ends its panic.
pub(crate) fn contained<R>(f: impl FnOnce() -> R) -> Option<R> {
    // The drop of the payload could panic.
    catch_unwind(AssertUnwindSafe(f)).map_err(std::mem::forget).ok()
}

/// Drops a foreign value, such as the payload of a panic, and ends a panic of its destructor.
pub(crate) fn drop_contained<T>(value: T) {
    contained(|| drop(value));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    #[cfg_attr(miri, ignore = "Miri cannot fork")]
    #[cfg(all(unix, not(loom)))]
    fn in_the_child_of_a_fork_the_hook_is_not_waited_for() {
        let held = HOOK.write().unwrap_or_else(PoisonError::into_inner);
        assert!(crate::driver::fork::is_true_in_child(|| {
            report_drop(Error::StackTaken);
            on_release_error(|_| ());
            true
        }));
        drop(held);
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri cannot fork")]
    #[cfg(all(unix, not(loom)))]
    fn in_a_function_and_in_the_child_of_a_fork_nothing_is_caught_up() {
        crate::init().unwrap();
        // Whoever catches up waits for this.
        let held = lock(&WAITING);
        ANY.store(true, Ordering::Relaxed);
        in_function(catch_up);
        // SAFETY: the child looks whether something waits, and leaves at once.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            catch_up();
            // SAFETY: leaves without destructors.
            unsafe { libc::_exit(0) };
        }
        assert!(crate::driver::fork::is_true_of_child(pid));
        drop(held);
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri cannot fork")]
    #[cfg(all(unix, not(loom)))]
    fn a_refusal_is_for_later_in_a_function_alone_and_never_in_the_child_of_a_fork() {
        crate::init().unwrap();
        assert!(!must_not_wait() && !is_not_now(CUDA_ERROR_NOT_PERMITTED));
        in_function(|| {
            assert!(must_not_wait() && is_not_now(CUDA_ERROR_NOT_PERMITTED));
            assert!(!is_not_now(ffi::CUDA_ERROR_UNKNOWN));
            let later = || !is_not_now(CUDA_ERROR_NOT_PERMITTED);
            assert!(crate::driver::fork::is_true_in_child(later));
        });
        assert!(!must_not_wait() && !is_not_now(CUDA_ERROR_NOT_PERMITTED));
    }

    #[test]
    fn values_that_panic_are_dropped_all_the_same_and_in_their_order() {
        static DROPPED: std::sync::Mutex<Vec<u32>> = std::sync::Mutex::new(Vec::new());
        struct Panics(u32);
        impl Drop for Panics {
            fn drop(&mut self) {
                DROPPED.lock().unwrap().push(self.0);
                if cfg!(panic = "unwind") {
                    panic!("in the drop of what was put off")
                }
            }
        }
        crate::init().unwrap();
        in_function(|| (1..=3).for_each(|number| put_off(Panics(number))));
        let start = std::time::Instant::now();
        // Another test may drop them.
        while *DROPPED.lock().unwrap() != [1, 2, 3] {
            catch_up();
            assert!(start.elapsed() < Duration::from_secs(if cfg!(miri) { 1200 } else { 120 }));
        }
    }

    #[test]
    fn a_hook_that_owns_what_sets_a_hook_is_replaced_and_panics_nowhere() {
        struct Restore;
        impl Drop for Restore {
            fn drop(&mut self) {
                on_release_error(|_| ());
                if cfg!(panic = "unwind") {
                    panic!("in the drop of what a hook owns")
                }
            }
        }
        let (done, finished) = mpsc::channel();
        std::thread::spawn(move || {
            let owned = Restore;
            on_release_error(move |_| {
                let _ = &owned;
                on_release_error(|_| ());
            });
            // Runs the hook, which replaces itself and ends in here.
            report_drop(Error::StackTaken);
            let _ = done.send(());
        });
        let limit = Duration::from_secs(if cfg!(miri) { 1200 } else { 120 });
        assert!(finished.recv_timeout(limit).is_ok(), "a deadlock, or a panic");
    }
}
