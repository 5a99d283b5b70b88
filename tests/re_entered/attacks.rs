//! One test for each way in which code of the program that the crate calls broke an earlier version.

use crate::common::foreign;
use crate::common::gpu::{new_context, try_new_context};
use crate::machine::Machine;
use crate::tower::Tower;
use crate::{common, fresh, skip};
use cuscope::{
    Context, ContextStack, Device, Error, Result, diagnostics::DriverLogHook, ffi,
    stack::OwnedGuard,
};
use cuscope_softdriver::control;
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::cell::RefCell;
use std::mem::forget;
use std::rc::Rc;
use std::sync::Arc;
#[cfg(unix)]
use std::sync::atomic::AtomicBool;
use std::sync::atomic::{AtomicUsize, Ordering};

const fn fault(which: Which) -> Fault {
    Fault { which, code: ffi::CUDA_ERROR_UNKNOWN, performed: false }
}

const POP: Fault = fault(Which::Named("cuCtxPopCurrent_v2"));

type Action = Box<dyn FnOnce()>;

thread_local! {
    /// The action of the next hook that is called on this thread.
    static NEXT: RefCell<Option<Action>> = const { RefCell::new(None) };
    /// The thread's stack, with a guard on it, as a hook got it.
    static TAKEN: RefCell<Option<Result<Tower>>> = const { RefCell::new(None) };
}

fn act() {
    if let Ok(Some(next)) = NEXT.try_with(RefCell::take) {
        next();
    }
}

/// The next hook that is called on this thread takes its stack, pushes the context, and keeps both.
fn take_in_hook(context: &Context) {
    let context = context.clone();
    NEXT.set(Some(Box::new(move || {
        let taken = ContextStack::current_thread().map(|stack| {
            let machine = Machine::counting();
            let mut kept = Tower::new(&machine, stack);
            kept.push(&machine, context).unwrap();
            kept
        });
        TAKEN.set(Some(taken));
    })));
}

/// Returns the stack that the hook got.
fn taken() -> Result<Tower> {
    TAKEN.take().expect("the hook ran")
}

fn log_hook() -> DriverLogHook {
    cuscope::diagnostics::on_driver_log(|_, _| act()).unwrap()
}

fn assert_no_destroyed() {
    let stack = control::stack();
    assert!(stack.iter().all(|entry| !entry.destroyed), "{stack:x?}");
}

fn is_relaxed() -> bool {
    control::capture_mode() == ffi::CU_STREAM_CAPTURE_MODE_RELAXED
}

/// Runs the body in a process of its own, as the hooks belong to it.
macro_rules! attack {
    ($name:ident, $body:block) => {
        if !common::software() {
            skip!("only the software driver fails on demand");
        }
        fresh!($name, $body);
    };
}

/// A thread's stack is taken while a dropped one is: its leaked entries were popped from under the new guard.
#[test]
fn the_hook_of_releases_takes_no_stack_while_leaked_entries_are_popped() {
    attack!(the_hook_of_releases_takes_no_stack_while_leaked_entries_are_popped, {
        cuscope::on_release_error(|_| act());
        let (a, b, kept, other) = (new_context(), new_context(), new_context(), new_context());
        let mut stack = ContextStack::current_thread().unwrap();
        let mut outer = stack.push(&a).unwrap();
        let mut leaked = outer.push(&b).unwrap();
        let guard = leaked.push(&kept).unwrap();
        ContextStack::reentrant(|_| {
            drop(guard); // cannot pop here: its entry stays, and owns a clone
            Ok(())
        })
        .unwrap();
        forget(leaked);
        forget(outer);
        drop(kept);
        take_in_hook(&other);
        let destroy = fault(Which::Named("cuCtxDestroy_v2"));
        let ((), failed) = with_fault(destroy, || drop(stack));
        assert_eq!(failed.len(), 1, "the end of the context whose entry was popped");
        if let Ok(mut kept) = taken() {
            // The stack belongs to the hook then, and the entry of its guard is there.
            kept.top().unwrap().synchronize().unwrap();
            panic!("the stack is not given back yet");
        }
        assert_eq!(control::stack_depth(), 0);
        visible_again(&other);
    });
}

/// Asserts that a push from now on is seen by whoever ends contexts.
fn visible_again(context: &Context) {
    let mut stack = ContextStack::current_thread().unwrap();
    let own = new_context();
    forget(stack.push(&own).unwrap());
    let own = own.try_destroy().expect_err("it is on the stack");
    drop(own);
    assert_no_destroyed();
    stack.push(context).unwrap().synchronize().unwrap();
}

/// Leaves entries that could not be popped when their stack ended.
fn leave_an_orphan(context: &Context) {
    let mut stack = ContextStack::current_thread().unwrap();
    forget(stack.push(context).unwrap());
    let ((), failed) = with_fault(POP, || drop(stack));
    assert_eq!((failed.len(), control::stack_depth()), (2, 1));
}

/// Two values each took the top for their own.
#[test]
fn a_stack_that_is_being_taken_is_taken() {
    attack!(a_stack_that_is_being_taken_is_taken, {
        let _hook = log_hook();
        let (a, b, c) = (new_context(), new_context(), new_context());
        leave_an_orphan(&a);
        take_in_hook(&b);
        // Pops what the stack before left, after a look at what is current.
        let (stack, failed) = with_fault(fault(Which::Nth(1)), ContextStack::current_thread);
        assert_eq!(failed, ["cuCtxPopCurrent_v2"]);
        assert_eq!(taken().err(), Some(Error::StackTaken));
        let mut stack = stack.unwrap();
        stack.push(&c).unwrap().synchronize().unwrap();
        drop(stack);

        // It is free again if it could not be taken.
        take_in_hook(&b);
        let (stack, failed) = with_fault(fault(Which::Nth(0)), ContextStack::current_thread);
        assert_eq!(failed, ["cuCtxGetCurrent"]);
        assert!(stack.is_err());
        assert_eq!(taken().err(), Some(Error::StackTaken));
        drop(ContextStack::current_thread().unwrap());
    });
}

/// The next hook that is called on this thread leaves an owned guard of the context.
fn leave_in_hook(context: &Context) -> Rc<RefCell<Option<OwnedGuard>>> {
    let left = Rc::new(RefCell::new(None));
    let (put, context) = (left.clone(), context.clone());
    NEXT.set(Some(Box::new(move || *put.borrow_mut() = Some(context.push_owned().unwrap()))));
    left
}

const DESTROY: Fault = fault(Which::Named("cuCtxDestroy_v2"));

/// The hook of a release that the pop of a leaked entry makes.
#[test]
fn a_stack_on_which_a_hook_leaves_a_guard_is_taken() {
    attack!(a_stack_on_which_a_hook_leaves_a_guard_is_taken, {
        cuscope::on_release_error(|_| act());
        let (a, kept, other) = (new_context(), new_context(), new_context());
        let mut stack = ContextStack::current_thread().unwrap();
        let mut outer = stack.push(&a).unwrap();
        let guard = outer.push(&kept).unwrap();
        ContextStack::reentrant(|_| {
            drop(guard); // cannot pop here: its entry stays, and owns a clone
            Ok(())
        })
        .unwrap();
        forget(outer);
        drop(kept);
        let ((), failed) = with_fault(POP, || drop(stack));
        assert_eq!((failed.len(), control::stack_depth()), (2, 2));
        let left = leave_in_hook(&other);
        let (stack, _) = with_fault(DESTROY, ContextStack::current_thread);
        assert_eq!(stack.err(), Some(Error::StackTaken));
        let mut left = left.take().expect("the hook ran");
        left.with(|gpu| gpu.synchronize()).unwrap();
        drop(left);
        assert_eq!(control::stack_depth(), 0);
        visible_again(&other);
    });
}

/// As above, when a frame ends.
#[test]
fn a_guard_that_a_hook_leaves_in_a_frame_that_ends_ends_with_it() {
    attack!(a_guard_that_a_hook_leaves_in_a_frame_that_ends_ends_with_it, {
        cuscope::on_release_error(|_| act());
        let (a, kept, other) = (new_context(), new_context(), new_context());
        let mut left = None;
        let (ended, _) = with_fault(DESTROY, || {
            ContextStack::reentrant(|stack| {
                let mut outer = stack.push(&a)?;
                let guard = outer.push(&kept)?;
                ContextStack::reentrant(|_| {
                    drop(guard);
                    Ok(())
                })?;
                forget(outer);
                drop(kept);
                left = Some(leave_in_hook(&other));
                Ok(())
            })
        });
        ended.unwrap();
        let mut left = left.and_then(|left| left.take()).expect("the hook ran");
        let over = left.with(|gpu| gpu.synchronize()).unwrap_err();
        assert!(matches!(over, Error::InvalidArgument { .. }), "{over}");
        drop(left);
        assert_eq!(control::stack_depth(), 0);
        visible_again(&other);
    });
}

/// The room of its entries went to another thread, which wrote over the entry of a live guard.
#[cfg(unix)] // on Windows no thread starts while another one ends its values
#[test]
fn a_stack_that_outlives_the_threads_other_values_keeps_its_room() {
    /// Ends after the crate's own values of the thread.
    struct Last;
    static ENDED: AtomicBool = AtomicBool::new(false);
    thread_local! {
        static LAST: Last = const { Last };
        static STACK: RefCell<Option<ContextStack>> = const { RefCell::new(None) };
    }
    impl Drop for Last {
        fn drop(&mut self) {
            let mut stack = ContextStack::current_thread().unwrap();
            let own = new_context();
            forget(stack.push(&own).unwrap());
            // Another thread comes and goes, with entries of its own.
            std::thread::spawn(|| {
                let other = new_context();
                let mut stack = ContextStack::current_thread().unwrap();
                let mut guard = stack.push(&other).unwrap();
                guard.push(&other).unwrap().synchronize().unwrap();
            })
            .join()
            .unwrap();
            drop(own.try_destroy().expect_err("it is on the stack"));
            ENDED.store(true, Ordering::Relaxed);
        }
    }
    attack!(a_stack_that_outlives_the_threads_other_values_keeps_its_room, {
        let _hook = log_hook();
        let thread = std::thread::spawn(|| {
            // In this order: what is used first ends last, and the crate's own before these.
            let (a, b) = (new_context(), new_context());
            LAST.with(|_| ());
            STACK.with_borrow(|_| ());
            leave_an_orphan(&a);
            take_in_hook(&b);
            let (stack, _) = with_fault(fault(Which::Nth(1)), ContextStack::current_thread);
            assert_eq!(taken().err(), Some(Error::StackTaken));
            STACK.set(Some(stack.unwrap()));
        });
        thread.join().expect("nothing panicked at the end of the thread");
        assert!(ENDED.load(Ordering::Relaxed));
    });
}

/// The new context was destroyed below the entry of a guard.
#[test]
fn a_context_that_cannot_be_popped_is_not_destroyed_below_another_entry() {
    attack!(a_context_that_cannot_be_popped_is_not_destroyed_below_another_entry, {
        let _hook = log_hook();
        let other = new_context();
        take_in_hook(&other);
        let make = try_new_context;
        let device_get_comes_first = fault(Which::Nth(2));
        let (made, failed) = with_fault(device_get_comes_first, make);
        assert_eq!(failed, ["cuCtxPopCurrent_v2"]);
        assert!(made.is_err());
        assert_no_destroyed();
        let mut kept = taken().expect("nobody had the stack");
        kept.top().unwrap().synchronize().unwrap();
        drop(kept);
        assert_no_destroyed();
        visible_again(&other);

        // The hook of the second try to pop it.
        take_in_hook(&other);
        let ends = NEXT.take();
        NEXT.set(Some(Box::new(move || NEXT.set(ends))));
        let (made, failed) = with_fault(POP, make);
        assert_eq!((made.is_err(), failed.len()), (true, 2));
        assert_no_destroyed();
        drop(taken().expect("nobody had the stack"));
        assert_no_destroyed();
    });
}

/// The context was destroyed with its entry on the stack.
#[test]
fn a_push_that_reports_an_error_leaves_no_entry() {
    attack!(a_push_that_reports_an_error_leaves_no_entry, {
        let (a, b) = (new_context(), new_context());
        let push = Fault { performed: true, ..fault(Which::Named("cuCtxPushCurrent_v2")) };
        let mut stack = ContextStack::current_thread().unwrap();
        let mut outer = stack.push(&a).unwrap();
        let (pushed, failed) = with_fault(push, || outer.push(&b).map(drop));
        assert!(pushed.is_err() && !failed.is_empty());
        assert_eq!(control::stack_depth(), 1, "it was taken off again");
        b.try_destroy().expect("it is on no stack").unwrap();
        outer.synchronize().unwrap();

        // On itself it cannot be told whether it is there: it stays alive.
        let (pushed, _) = with_fault(push, || outer.push(&a).map(drop));
        assert!(pushed.is_err());
        outer.synchronize().unwrap();
        outer.pop().unwrap();
        drop(stack);
        drop(a);
        assert_no_destroyed();
    });
}

/// The driver's log tells of a call that succeeds.
const ASKED: Fault =
    Fault { which: Which::Named("cuCtxGetCurrent"), code: ffi::CUDA_SUCCESS, performed: true };

/// The driver was asked for the current context, and another entry came before the answer was used.
#[test]
fn a_leaked_entry_is_popped_behind_what_a_hook_left_on_it() {
    attack!(a_leaked_entry_is_popped_behind_what_a_hook_left_on_it, {
        let _hook = log_hook();
        let [a, b, c, d] = [(); 4].map(|()| new_context());
        let mut stack = ContextStack::current_thread().unwrap();
        forget(stack.push(&a).unwrap());
        let (left, cover) = (c.clone(), d.clone());
        NEXT.set(Some(Box::new(move || {
            // Its entry cannot be popped when the frame ends.
            let covered = ContextStack::reentrant(|inner| {
                forget(inner.push(&left)?);
                foreign::push(cover.raw());
                Ok(())
            });
            covered.unwrap();
            assert_eq!(foreign::pop(), cover.raw());
            assert_eq!(control::stack_depth(), 2);
        })));
        let (pushed, _) = with_fault(ASKED, || stack.push(&b).map(drop));
        assert_eq!(pushed, Ok(()));
        assert_eq!(control::stack_depth(), 0);
        for context in [a, b] {
            context.try_destroy().expect("it is on no stack").unwrap();
        }
        assert_no_destroyed();
    });
}

/// The entry that foreign code pushed was taken for the leaked one.
#[test]
fn an_entry_that_comes_while_a_leaked_one_is_looked_at_is_put_back() {
    attack!(an_entry_that_comes_while_a_leaked_one_is_looked_at_is_put_back, {
        let _hook = log_hook();
        let [a, b, d] = [(); 3].map(|()| new_context());
        let mut stack = ContextStack::current_thread().unwrap();
        forget(stack.push(&a).unwrap());
        let cover = d.clone();
        NEXT.set(Some(Box::new(move || foreign::push(cover.raw()))));
        let (pushed, _) = with_fault(ASKED, || stack.push(&b).map(drop));
        assert_eq!(pushed, Ok(()));
        assert_eq!(foreign::pop(), d.raw());
        assert_eq!(foreign::current(), a.raw());
        stack.push(&b).unwrap().synchronize().unwrap();
        assert_eq!(control::stack_depth(), 0);
    });
}

#[test]
fn a_push_that_took_nothing_leaves_the_context_to_its_owner() {
    attack!(a_push_that_took_nothing_leaves_the_context_to_its_owner, {
        let (a, b) = (new_context(), new_context());
        let push = fault(Which::Named("cuCtxPushCurrent_v2"));
        let mut stack = ContextStack::current_thread().unwrap();
        let mut outer = stack.push(&a).unwrap();
        // The code does not say so, but another context is on top.
        assert!(with_fault(push, || outer.push(&b).map(drop)).0.is_err());
        b.try_destroy().expect("it is on no stack").unwrap();
        // The same context is on top, but the code says so.
        let refused = Fault { code: ffi::CUDA_ERROR_INVALID_VALUE, ..push };
        assert!(with_fault(refused, || outer.push(&a).map(drop)).0.is_err());
        assert_eq!(control::stack_depth(), 1);
        outer.pop().unwrap();
        drop(stack);
        a.try_destroy().expect("it is on no stack").unwrap();
    });
}

/// The mode was given back when the wait was over, and taken from the stack that was taken inside; or never.
#[test]
fn a_stack_that_is_taken_inside_a_wait_has_its_mode_and_gives_it_back() {
    attack!(a_stack_that_is_taken_inside_a_wait_has_its_mode_and_gives_it_back, {
        let _hook = log_hook();
        let (context, other) = (new_context(), new_context());
        assert!(!is_relaxed());
        let wait = || {
            take_in_hook(&other);
            let wait = fault(Which::Named("cuCtxSynchronize_v2"));
            let (waited, failed) = with_fault(wait, || context.synchronize());
            assert!(waited.is_err() && !failed.is_empty());
            taken().expect("the thread had no stack")
        };
        let mut kept = wait();
        assert!(is_relaxed(), "the thread has its stack");
        kept.top().unwrap().synchronize().unwrap();
        context.synchronize().unwrap();
        assert!(is_relaxed(), "a wait gives nothing back");
        drop(kept);
        assert!(!is_relaxed(), "the mode is the thread's own again");
        // And again, from the start.
        drop(wait());
        assert!(!is_relaxed());
        context.synchronize().unwrap();
        assert!(!is_relaxed());
    });
}

/// The mode that the stack had set was given back after the stack had ended, and stayed for ever.
#[test]
fn a_stack_that_ends_inside_a_refused_free_gives_its_mode_back() {
    attack!(a_stack_that_ends_inside_a_refused_free_gives_its_mode_back, {
        let _hook = log_hook();
        let context = new_context();
        let free = |last: bool, then: Option<ffi::CUstreamCaptureMode>| {
            let buffer = ContextStack::reentrant(|stack| {
                Ok(stack.push(&context)?.alloc::<u32>(4)?.detach())
            })
            .unwrap();
            let stack = ContextStack::current_thread().unwrap();
            let ends: Action = Box::new(move || {
                drop(stack);
                then.into_iter().for_each(foreign::set_capture_mode);
            });
            // Inside the first call, or inside the second one.
            NEXT.set(Some(if last { Box::new(move || NEXT.set(Some(ends))) } else { ends }));
            let code = ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
            let free = Fault { code, ..fault(Which::Named("cuMemFree_v2")) };
            let ((), failed) = with_fault(free, || drop(buffer));
            assert_eq!(failed.len(), 2);
            assert_eq!(is_relaxed(), then.is_some(), "the stack is gone: {last}");
        };
        free(false, None);
        free(true, None);
        drop(ContextStack::current_thread().unwrap());
        assert!(!is_relaxed());
        // A mode that other code sets meanwhile stays.
        foreign::set_capture_mode(ffi::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
        free(false, Some(ffi::CU_STREAM_CAPTURE_MODE_RELAXED));
    });
}

/// The function was freed, and called.
#[test]
fn a_function_that_was_registered_though_the_call_failed_stays() {
    attack!(a_function_that_was_registered_though_the_call_failed_stays, {
        let calls = Arc::new(AtomicUsize::new(0));
        let own = calls.clone();
        let function = move |_: cuscope::diagnostics::LogLevel, _: &str| {
            own.fetch_add(1, Ordering::Relaxed);
        };
        let register = fault(Which::Named("cuLogsRegisterCallback"));
        let register = Fault { performed: true, ..register };
        let (hook, _) = with_fault(register, || cuscope::diagnostics::on_driver_log(function));
        assert!(hook.is_err());
        assert!(Device::get(99).is_err());
        assert!(calls.load(Ordering::Relaxed) > 0 && Arc::strong_count(&calls) == 2);
    });
}
