//! Guards that own their context: in which order they are used and dropped is compared when the program runs.
#![allow(unsafe_code, reason = "plays foreign code that changes the stack behind the crate's back")]

use crate::common::foreign::{self, current};
use crate::common::gpu::new_context;
use crate::common::panics;
use crate::common::random::config;
use crate::{common, fresh, needs_unwinding, skip};
use cuscope::diagnostics::on_driver_log;
use cuscope::{Context, ContextStack, Error, Result, stack::OwnedGuard};
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::mem::forget;
use std::rc::Rc;

fn is_empty() -> bool {
    current().is_null()
}

fn waits(guard: &mut OwnedGuard) -> Result {
    guard.with(|gpu| gpu.synchronize())
}

fn suspended<R: std::fmt::Debug>(answer: Result<R>) {
    let error = answer.unwrap_err();
    assert!(matches!(error, Error::Suspended { .. }), "{error}");
}

fn over<R: std::fmt::Debug>(answer: Result<R>) {
    let error = answer.unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
    assert!(error.to_string().contains("ended with the `reentrant` call"), "{error}");
}

/// A struct lends it to one call after the other, as a command in flight does.
#[test]
fn a_value_has_its_context_current_until_it_is_dropped() {
    struct Command {
        gpu: OwnedGuard,
    }
    let a = new_context();
    let command = |context: &Context| Command { gpu: context.push_owned().unwrap() };
    let mut first = command(&a);
    assert_eq!((current(), first.gpu.context()), (a.raw(), &a));
    assert_eq!(format!("{:?}", first.gpu), format!("OwnedGuard({a:?})"));
    let stream = first.gpu.with(|gpu| Ok(gpu.stream()?.detach())).unwrap();
    let idle = first.gpu.with(|gpu| gpu.bind(&stream)?.query()).unwrap();
    assert!(idle);
    drop(first);
    assert!(is_empty());
    let second = command(&a);
    second.gpu.pop().unwrap();
    assert!(is_empty());
    // Nothing of it is left: the context can be destroyed.
    drop(stream);
    a.try_destroy().unwrap().unwrap();
}

#[test]
fn older_guards_are_suspended_while_a_younger_one_lives() {
    let (a, b) = (new_context(), new_context());
    let mut outer = a.push_owned().unwrap();
    let mut inner = b.push_owned().unwrap();
    assert_eq!(current(), b.raw());
    suspended(waits(&mut outer));
    suspended(outer.with(|gpu| gpu.push(&b).map(drop)));
    waits(&mut inner).unwrap();
    drop(inner);
    assert_eq!(current(), a.raw());
    waits(&mut outer).unwrap();
    // Of one context, the operations of both act on it.
    let younger = a.push_owned().unwrap();
    waits(&mut outer).unwrap();
    suspended(outer.with(|gpu| gpu.push(&b).map(drop)));
    drop(younger);
    outer.pop().unwrap();
    assert!(is_empty());
}

#[test]
fn a_guard_that_is_dropped_early_leaves_its_entry_to_the_younger_ones() {
    let (a, b, c) = (new_context(), new_context(), new_context());
    let outer = a.push_owned().unwrap();
    let middle = b.push_owned().unwrap();
    let mut inner = c.push_owned().unwrap();
    suspended(outer.pop());
    drop(middle);
    assert_eq!(current(), c.raw());
    waits(&mut inner).unwrap();
    // A context on the stack is alive, although nobody has it.
    let (raw_a, raw_b) = (a.raw(), b.raw());
    drop((a, b));
    drop(inner);
    assert!(is_empty(), "all three are gone");
    assert!(!foreign_alive(raw_a) && !foreign_alive(raw_b), "and so are their contexts");
}

/// What others left below stays there while an older guard lives, and is no error of the younger one.
#[test]
fn a_guard_pops_although_something_is_left_below_an_older_one() {
    let (a, b, c) = (new_context(), new_context(), new_context());
    let outer = a.push_owned().unwrap();
    let middle = b.push_owned().unwrap();
    let inner = c.push_owned().unwrap();
    suspended(outer.pop());
    inner.pop().unwrap();
    assert_eq!(current(), b.raw());
    middle.pop().unwrap();
    assert!(is_empty());

    let mut stack = ContextStack::current_thread().unwrap();
    forget(stack.push(&a).unwrap());
    let outer = b.push_owned().unwrap();
    let inner = c.push_owned().unwrap();
    drop(stack);
    inner.pop().unwrap();
    assert_eq!(current(), b.raw());
    outer.pop().unwrap();
    assert!(is_empty());
}

/// Whether the driver knows a context.
fn foreign_alive(raw: cuscope::ffi::CUcontext) -> bool {
    let mut version = 0;
    // SAFETY: writes one number. The driver answers for a handle that it does not know (F16).
    unsafe { cuscope::ffi::cuCtxGetApiVersion(raw, &raw mut version) == cuscope::ffi::CUDA_SUCCESS }
}

#[test]
fn guards_of_the_stack_are_suspended_and_go_on_afterwards() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut gpu = stack.push(&a).unwrap();
    let mut owned = b.push_owned().unwrap();
    suspended(gpu.synchronize());
    suspended(gpu.push(&a).map(drop));
    waits(&mut owned).unwrap();
    drop(owned);
    assert_eq!(current(), a.raw());
    gpu.synchronize().unwrap();
    gpu.push(&b).unwrap().pop().unwrap();
    gpu.pop().unwrap();
    assert!(is_empty());
}

#[test]
fn a_guard_of_the_stack_that_is_dropped_early_is_popped_when_the_stack_is_next_used() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&a).unwrap();
    let owned = b.push_owned().unwrap();
    suspended(gpu.pop());
    assert_eq!(current(), b.raw());
    drop(owned);
    assert_eq!(current(), a.raw(), "a is still there");
    let gpu = stack.push(&b).unwrap();
    gpu.pop().unwrap();
    drop(stack);
    assert!(is_empty());
    a.try_destroy().unwrap().unwrap();
}

#[test]
fn a_stack_is_taken_while_an_owned_guard_lives() {
    let a = new_context();
    let owned = a.push_owned().unwrap();
    assert_eq!(ContextStack::current_thread().unwrap_err(), Error::StackTaken);
    a.with(|gpu| gpu.synchronize()).unwrap();
    drop(owned);
    ContextStack::current_thread().unwrap();
}

#[test]
fn a_stack_that_is_dropped_early_is_cleared_by_the_owned_guard() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    forget(stack.push(&a).unwrap());
    let owned = b.push_owned().unwrap();
    drop(stack);
    assert_eq!(ContextStack::current_thread().unwrap_err(), Error::StackTaken);
    drop(owned);
    assert!(is_empty(), "the leaked entry went with it");
}

#[test]
fn a_guard_that_was_made_inside_ends_with_the_call() {
    let (a, b) = (new_context(), new_context());
    let outside = a.push_owned().unwrap();
    let mut escaped = ContextStack::reentrant(|_| b.push_owned()).unwrap();
    assert_eq!(current(), a.raw(), "of the guard outside");
    over(waits(&mut escaped));
    drop(outside);
    assert!(is_empty());
    // Others have the places of its entries now.
    let mut stack = ContextStack::current_thread().unwrap();
    let mut gpu = stack.push(&b).unwrap();
    let inner = gpu.push(&a).unwrap();
    over(waits(&mut escaped));
    over(escaped.pop());
    inner.synchronize().unwrap();
    inner.pop().unwrap();
    gpu.pop().unwrap();
    assert!(is_empty());
}

/// `Context::with` pops its own entry, which lies below.
#[test]
fn a_guard_that_leaves_the_closure_of_a_context_is_an_error() {
    let (a, b) = (new_context(), new_context());
    suspended(b.with(|_| a.push_owned()));
    assert!(is_empty());
    let mut escaped = None;
    suspended(b.with(|_| {
        escaped = Some(a.push_owned()?);
        Ok(())
    }));
    assert!(is_empty());
    over(waits(&mut escaped.expect("it was made")));
}

#[test]
fn a_guard_that_was_made_inside_another_ones_closure_lives_on() {
    let (a, b) = (new_context(), new_context());
    let mut outer = a.push_owned().unwrap();
    let mut inner = outer
        .with(|gpu| {
            let covered = gpu.push(&b)?;
            let inner = a.push_owned();
            drop(covered); // suspended: its entry stays below
            inner
        })
        .unwrap();
    waits(&mut inner).unwrap();
    suspended(outer.with(|gpu| gpu.push(&b).map(drop)));
    drop(inner);
    assert_eq!(current(), b.raw(), "what was dropped early");
    waits(&mut outer).unwrap();
    assert_eq!(current(), a.raw(), "is popped when the guard is next used");
    drop(outer);
    assert!(is_empty());
}

#[test]
fn a_guard_that_a_closure_leaks_is_popped_at_the_next_use_of_the_one_below() {
    let (a, b) = (new_context(), new_context());
    let mut owned = a.push_owned().unwrap();
    owned.with(|gpu| gpu.push(&b).map(forget)).unwrap();
    assert_eq!(current(), b.raw());
    waits(&mut owned).unwrap();
    assert_eq!(current(), a.raw());
    owned.with(|gpu| gpu.push(&b).map(forget)).unwrap();
    drop(owned);
    assert!(is_empty());
}

#[test]
fn a_guard_that_is_dropped_inside_reentrant_is_popped_at_its_end() {
    let (a, b) = (new_context(), new_context());
    let owned = a.push_owned().unwrap();
    b.with(|gpu| {
        drop(owned);
        gpu.synchronize()
    })
    .unwrap();
    assert!(is_empty());
    a.try_destroy().unwrap().unwrap();
}

#[test]
fn a_panic_pops() {
    needs_unwinding!("the panic pops");
    let a = new_context();
    let panicked = panics(|| {
        let mut owned = a.push_owned().unwrap();
        owned.with(|_| -> Result { panic!("of the test") })
    });
    assert!(panicked && is_empty());
}

#[test]
fn a_leaked_guard_keeps_its_context_current_and_alive() {
    fresh!(a_leaked_guard_keeps_its_context_current_and_alive, {
        let (a, b) = (new_context(), new_context());
        forget(a.push_owned().unwrap());
        let raw = a.raw();
        assert!(a.try_destroy().is_err(), "it is on a stack");
        assert_eq!(current(), raw);
        assert_eq!(ContextStack::current_thread().unwrap_err(), Error::StackTaken);
        // Code that needs none of the thread's guards goes on.
        b.with(|gpu| gpu.synchronize()).unwrap();
        b.push_owned().unwrap().pop().unwrap();
        assert_eq!(current(), raw);
    });
}

#[test]
fn foreign_code_on_top_is_seen_and_its_entry_left_alone() {
    let (a, b) = (new_context(), new_context());
    let mut owned = a.push_owned().unwrap();
    foreign::push(b.raw());
    assert!(matches!(waits(&mut owned).unwrap_err(), Error::NotCurrent { .. }));
    assert!(matches!(owned.pop().unwrap_err(), Error::NotCurrent { .. }));
    assert_eq!(current(), b.raw());
    assert_eq!(foreign::pop(), b.raw());
    // The entry is popped by the next code that has the stack to itself.
    assert_eq!(current(), a.raw());
    drop(ContextStack::current_thread().unwrap());
    assert!(is_empty());
    a.try_destroy().unwrap().unwrap();
}

#[test]
fn a_guard_in_a_thread_local_ends_with_its_thread() {
    thread_local! {
        static KEPT: RefCell<Option<OwnedGuard>> = const { RefCell::new(None) };
    }
    let a = new_context();
    std::thread::scope(|s| {
        // The thread has ended, with what is local to it, when it is joined.
        s.spawn(|| KEPT.set(Some(a.push_owned().unwrap()))).join().unwrap();
    });
    a.try_destroy().unwrap().unwrap();
}

/// In the middle of a driver call nobody knows yet what the call did.
#[test]
fn a_function_of_the_drivers_log_makes_no_owned_guard() {
    fresh!(a_function_of_the_drivers_log_makes_no_owned_guard, {
        let a = new_context();
        let seen = std::sync::Arc::new(std::sync::Mutex::new(None));
        let hook = {
            let (a, seen) = (a.clone(), seen.clone());
            on_driver_log(move |_, _| {
                let refused = a.push_owned().map(forget).map_err(|error| error.to_string());
                *seen.lock().unwrap() = Some(refused);
            })
        };
        let Ok(_hook) = hook else { skip!("the driver has no hook of its log") };
        let mut none = std::ptr::null_mut();
        // SAFETY: writes one handle, or refuses the flags, of which the driver's log tells.
        unsafe { cuscope::ffi::cuStreamCreate(&raw mut none, 0x40) };
        let refused = seen.lock().unwrap().take().expect("the hook ran").unwrap_err();
        assert!(refused.contains("on_driver_log"), "{refused}");
        assert!(is_empty());
        // It is over, and the thread makes them again.
        drop(a.push_owned().unwrap());
    });
}

/// A step of a random program.
#[derive(Clone, Debug)]
enum Step {
    Push(usize),
    Drop(usize),
    Use(usize),
    /// A guard that is leaked in a closure of an owned one.
    Leak(usize),
    /// The steps inside `reentrant`, whose guards end with it.
    Inside(Vec<Step>),
    /// A stack, with a guard, around the steps.
    Under(usize, Vec<Step>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let leaf = prop_oneof![
        4 => (0..3_usize).prop_map(Step::Push),
        3 => (0..6_usize).prop_map(Step::Drop),
        3 => (0..6_usize).prop_map(Step::Use),
        1 => (0..6_usize).prop_map(Step::Leak),
    ];
    let step = leaf.prop_recursive(3, 24, 8, |inner| {
        let list = prop::collection::vec(inner, 0..8);
        prop_oneof![
            list.clone().prop_map(Step::Inside),
            (0..3_usize, list).prop_map(|(context, steps)| Step::Under(context, steps)),
        ]
    });
    prop::collection::vec(step, 0..16)
}

/// An owned guard, and whether the call that it was made in still runs.
struct Made {
    guard: OwnedGuard,
    runs: Rc<RefCell<bool>>,
}

thread_local! {
    /// Whether a guard was dropped in a younger call than the one that it was made in.
    static STAYS: Cell<bool> = const { Cell::new(false) };
}

fn run(steps: &[Step], contexts: &[Context], made: &mut Vec<Made>, runs: &Rc<RefCell<bool>>) {
    for step in steps {
        match step {
            Step::Push(context) => {
                let guard = contexts[*context].push_owned().unwrap();
                assert_eq!(current(), contexts[*context].raw());
                made.push(Made { guard, runs: runs.clone() });
            }
            Step::Drop(at) if !made.is_empty() => {
                let at = at % made.len();
                let gone = made.remove(at);
                // Its entry stays for a while, if a younger call runs.
                STAYS.set(STAYS.get() || !Rc::ptr_eq(&gone.runs, runs));
                drop(gone);
            }
            Step::Use(at) if !made.is_empty() => {
                let at = at % made.len();
                let Made { guard, runs } = &mut made[at];
                let expected = guard.context().raw();
                match guard.with(|gpu| gpu.synchronize()) {
                    Ok(()) => assert!(current() == expected && *runs.borrow()),
                    Err(Error::Suspended { .. }) => assert!(*runs.borrow()),
                    Err(Error::InvalidArgument { .. }) => assert!(!*runs.borrow()),
                    Err(error) => panic!("{error}"),
                }
            }
            Step::Leak(at) if !made.is_empty() => {
                let at = at % made.len();
                let _ = made[at].guard.with(|gpu| gpu.push(&contexts[0]).map(forget));
            }
            Step::Inside(inner) => {
                let (before, own) = (current(), Rc::new(RefCell::new(true)));
                let outside = made.len();
                ContextStack::reentrant(|_| {
                    run(inner, contexts, made, &own);
                    Ok(())
                })
                .unwrap();
                *own.borrow_mut() = false;
                // With the guards outside as they were, so is the stack, unless entries of guards that are gone end now.
                if !STAYS.get()
                    && made.iter().filter(|made| !Rc::ptr_eq(&made.runs, &own)).count() == outside
                {
                    assert_eq!(current(), before);
                }
            }
            Step::Under(context, inner) => {
                let Ok(mut stack) = ContextStack::current_thread() else { continue };
                let gpu = stack.push(&contexts[*context]).unwrap();
                run(inner, contexts, made, runs);
                match gpu.synchronize() {
                    Ok(()) => assert_eq!(current(), contexts[*context].raw()),
                    Err(Error::Suspended { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
            }
            Step::Drop(_) | Step::Use(_) | Step::Leak(_) => {}
        }
    }
}

/// Whatever the order: an operation acts on the context of its guard, or is not made; guards end with the call that they
/// were made in; and when all are gone, the stack is as it was, and the contexts can be destroyed.
#[test]
fn owned_guards_are_used_and_dropped_in_any_order() {
    let cases = common::random::fewer_on_a_gpu(if cfg!(miri) { 4 } else { 400 });
    proptest!(config(common::thorough(cases as usize) as u32, 0x043), |(steps in steps())| {
        let contexts = [new_context(), new_context(), new_context()];
        STAYS.set(false);
        let (mut made, runs) = (Vec::new(), Rc::new(RefCell::new(true)));
        run(&steps, &contexts, &mut made, &runs);
        while !made.is_empty() {
            let at = made.len() * 2 / 3;
            drop(made.remove(at.min(made.len() - 1)));
        }
        drop(ContextStack::current_thread().unwrap());
        prop_assert!(is_empty());
        for context in contexts {
            context.try_destroy().expect("nothing has it").expect("it is destroyed");
        }
    });
}
