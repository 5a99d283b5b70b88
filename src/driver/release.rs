//! Reports of failed releases: a `Drop` cannot return an error.

use crate::call::Answer;
use crate::driver::fork;
use crate::error::Error;
use crate::sync::{Arc, LocalKey, RwLock, arc, shared_static, thread_flag};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;

type Hook = Arc<dyn Fn(&Error) + Send + Sync>;
shared_static! { static HOOK: RwLock<Option<Hook>> = RwLock::new(None); }

thread_flag! {
    /// Whether this thread runs the hook.
    static IN_HOOK;
    /// Whether this thread runs a subscriber of `tracing`.
    static IN_SUBSCRIBER;
}

/// Sets the hook for errors that a `Drop` of this crate cannot return: a free, unload, destroy or pop that
/// failed.
///
/// It replaces the previous hook. Without a hook such errors are ignored. A resource that the driver refuses to
/// release is gone ([F42](crate::driver_facts#F42), [F60](crate::driver_facts#F60)), or stays allocated until
/// its context ends (a free while foreign code captures, [F101](crate::driver_facts#F101)). A context that
/// could not be popped is kept alive.
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

/// Makes a call that releases the resource of a value. The hook receives its error. In the child of a fork
/// nothing is called and nothing released: the resources belong to the parent, and calls may hang
/// ([F20](crate::driver_facts#F20)).
#[inline]
pub(crate) fn release(f: impl FnOnce() -> Answer) {
    if !fork::is_child() {
        released(f());
    }
}

/// Takes the answer of a releasing call. Never panics: it runs in destructors.
#[inline]
pub(crate) fn released(answer: Answer) {
    if let Err(error) = answer.check() {
        report_drop(error.into());
    }
}

/// Reports an error to the hook. See [`released`].
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
    fn a_hook_that_owns_what_sets_a_hook_is_replaced_and_panics_nowhere() {
        struct Restore;
        impl Drop for Restore {
            fn drop(&mut self) {
                on_release_error(|_| ());
                panic!("in the drop of what a hook owns");
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
