//! Keeps operations on the legacy stream of a context and captures of its blocking streams apart. A driver that
//! does both simultaneously, on two threads, may follow a dangling pointer ([F221](crate::driver_facts#F221);
//! invariant [`legacy-apart`](crate::soundness#legacy-apart)).

use crate::call::Answer;
use crate::context::Context;
use crate::diagnostics::driver_log;
use crate::driver::fork;
use crate::error::{Error, Result};
use ffi::{CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT};
use std::cell::Cell;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

/// The operations and captures that run in one context.
#[derive(Default)]
struct LegacyStreamLock {
    state: Mutex<State>,
    left: Condvar,
}

#[derive(Default)]
struct State {
    operations: usize,
    captures: usize,
}

/// The locks, by the handles of their contexts. Clones and retains of one context share a lock.
static LOCKS: Mutex<Vec<(usize, Weak<LegacyStreamLock>)>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[inline]
fn lock_of(context: &Context) -> Arc<LegacyStreamLock> {
    let key = context.raw().addr();
    let mut locks = lock(&LOCKS);
    if let Some(legacy) =
        locks.iter().find(|(of, _)| *of == key).and_then(|(_, legacy)| legacy.upgrade())
    {
        return legacy;
    }
    let legacy = Arc::new(LegacyStreamLock::default());
    locks.retain(|(_, legacy)| legacy.strong_count() > 0);
    locks.push((key, Arc::downgrade(&legacy)));
    legacy
}

thread_local! {
    /// The number of operations that this thread runs, in any context.
    static OWN: Cell<usize> = const { Cell::new(0) };
}

/// An operation on the legacy stream, until dropped.
pub(crate) struct Operation(Arc<LegacyStreamLock>);

impl Operation {
    /// # Errors
    /// While a blocking stream of the context is under capture, the driver's error
    /// ([F143](crate::driver_facts#F143)), but without a call, which would invalidate the capture.
    #[inline]
    pub(crate) fn enter(context: &Context, call: &'static str) -> Result<Operation> {
        let legacy = lock_of(context);
        let mut state = lock(&legacy.state);
        if state.captures > 0 {
            Answer::new(call, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT).check()?;
        }
        state.operations += 1;
        drop(state);
        OWN.set(OWN.get() + 1);
        Ok(Operation(legacy))
    }
}

impl Drop for Operation {
    #[inline]
    fn drop(&mut self) {
        if let Some(mut state) = fork::lock(&self.0.state) {
            state.operations -= 1;
        }
        OWN.set(OWN.get() - 1);
        self.0.left.notify_all();
    }
}

/// A capture of a blocking stream, until dropped.
pub(crate) struct Capturing(Arc<LegacyStreamLock>);

impl Capturing {
    /// Waits for the operations that run. None begins meanwhile.
    ///
    /// Code of the program that an operation runs does not wait, neither for its own operation nor for one of
    /// another thread, which may wait for this thread's. A hook of the driver's log does not wait either,
    /// because failing calls on other threads wait for it. So everything that this waits for ends by itself.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if it would have to wait but must not.
    #[inline]
    pub(crate) fn enter(context: &Context, call: &'static str) -> Result<Capturing> {
        if fork::is_child() {
            // Operations of the parent's other threads never end there.
            Answer::new(call, CUDA_ERROR_NOT_INITIALIZED).check()?;
        }
        let legacy = lock_of(context);
        let mut state = lock(&legacy.state);
        if state.operations > 0 && (OWN.get() > 0 || driver_log::is_inside()) {
            let reason = "an operation on the legacy default stream of the context is running, and \
                          a function of `on_driver_log` or a destructor must not wait for it: \
                          capture a `NON_BLOCKING` stream, or capture later";
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        }
        state.captures += 1;
        while state.operations > 0 {
            state = legacy.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        drop(state);
        Ok(Capturing(legacy))
    }
}

impl Drop for Capturing {
    #[inline]
    fn drop(&mut self) {
        if let Some(mut state) = fork::lock(&self.0.state) {
            state.captures -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::ContextFlags;
    use crate::device::Device;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;
    use std::thread;

    fn until(condition: impl Fn() -> bool) {
        loop {
            thread::yield_now();
            if condition() {
                return;
            }
        }
    }

    #[test]
    fn a_capture_waits_for_an_operation_of_another_thread_and_none_begins_meanwhile() {
        let context = Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap();
        let legacy = lock_of(&context);
        let operation = Operation::enter(&context, "an operation").unwrap();
        thread::scope(|threads| {
            let capture = threads.spawn(|| Capturing::enter(&context, "a capture").map(drop));
            until(|| lock(&legacy.state).captures != 0);
            assert!(Operation::enter(&context, "another operation").is_err());
            assert!(!capture.is_finished());
            drop(operation);
            assert_eq!(capture.join().unwrap(), Ok(()));
        });
        drop(Operation::enter(&context, "another operation").unwrap());
        // A capture of a thread whose own operations are over waits, too.
        let answered = AtomicBool::new(false);
        let captured = thread::scope(|threads| {
            let (entered, has_entered) = mpsc::channel();
            let (legacy, context, answered) = (&legacy, &context, &answered);
            threads.spawn(move || {
                let operation = Operation::enter(context, "an operation").unwrap();
                entered.send(()).unwrap();
                until(|| lock(&legacy.state).captures != 0 || answered.load(Ordering::Relaxed));
                drop(operation);
            });
            has_entered.recv().unwrap();
            let captured = Capturing::enter(context, "a capture").map(drop);
            answered.store(true, Ordering::Relaxed);
            captured
        });
        assert_eq!(captured, Ok(()));
    }

    #[test]
    fn a_context_has_one_lock_as_long_as_somebody_has_it() {
        let context = || Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap();
        let (first, second) = (context(), context());
        let lock = lock_of(&first);
        assert!(!Arc::ptr_eq(&lock, &lock_of(&second)));
        assert!(Arc::ptr_eq(&lock, &lock_of(&first)));
    }

    /// A driver may give a context the address of one that is gone.
    #[test]
    fn the_lock_of_a_context_that_is_gone_is_none_of_another_one() {
        let context = Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap();
        super::lock(&LOCKS).push((context.raw().addr(), Weak::new()));
        let lock = lock_of(&context);
        assert!(Arc::ptr_eq(&lock, &lock_of(&context)));
    }

    /// The thread of the operation may wait for the hook: the driver tells one thread after the other.
    #[test]
    fn a_hook_of_the_log_does_not_wait_for_an_operation() {
        let context = Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap();
        let (here, capturing) = (thread::current().id(), context.clone());
        let (tell, told) = mpsc::channel();
        let hook = driver_log::on_driver_log(move |_, _| {
            if thread::current().id() == here {
                let _ = tell.send(Capturing::enter(&capturing, "a capture").map(drop));
            }
        });
        thread::scope(|threads| {
            let (entered, has_entered) = mpsc::channel();
            let (answered, is_answered) = mpsc::channel::<()>();
            let context = &context;
            threads.spawn(move || {
                let operation = Operation::enter(context, "an operation").unwrap();
                entered.send(()).unwrap();
                // A hook that waits is let go in the end, and then says so.
                let _ = is_answered.recv_timeout(std::time::Duration::from_secs(10));
                drop(operation);
            });
            has_entered.recv().unwrap();
            assert!(Device::get(99).is_err(), "the log tells of it");
            drop(answered);
        });
        drop(hook.unwrap());
        assert!(told.recv().unwrap().is_err());
    }

    /// The operation of another thread of the parent never ends there.
    #[test]
    #[cfg_attr(miri, ignore = "Miri cannot fork")]
    #[cfg(all(unix, not(loom)))]
    fn in_the_child_of_a_fork_a_capture_waits_for_nothing() {
        let context = Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap();
        let operation = Operation::enter(&context, "an operation").unwrap();
        assert!(fork::is_true_in_child(|| {
            let refused = Capturing::enter(&context, "a capture").map(drop);
            refused.unwrap_err().code() == Some(CUDA_ERROR_NOT_INITIALIZED)
        }));
        drop(operation);
    }
}
