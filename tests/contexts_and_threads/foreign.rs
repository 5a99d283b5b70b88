//! Foreign code behind the crate's back, beyond what `tests/contexts_and_threads/stack.rs` plays: it is told as what it is,
//! and nobody else's entry is popped.
#![allow(unsafe_code, reason = "plays foreign code that changes the stack behind the crate's back")]

use crate::common::foreign::{self, current};
use crate::common::gpu::new_context;
use crate::common::software;
use crate::{dangling, fresh, skip};
use cuscope::foreign::Ownership;
use cuscope::{Context, ContextStack, Device, Error, ffi};
use cuscope_softdriver::control::record;
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::sync::Mutex;

#[test]
fn a_leaked_entry_that_foreign_code_covers_is_not_taken_for_gone() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    std::mem::forget(outer.push(&b).unwrap());
    foreign::push(a.raw()); // [a, b (leaked), a (foreign)]
    // The next guard lies above.
    outer.push(&b).unwrap().pop().unwrap();
    // A call that looks sees its own context on top, and is right by that.
    outer.synchronize().unwrap();
    assert_eq!(foreign::pop(), a.raw(), "foreign code finds its entry");
    assert_eq!(current(), b.raw(), "and the leaked one below");
    outer.synchronize().unwrap();
    assert_eq!(current(), a.raw(), "settled");
    outer.pop().unwrap();
    assert!(current().is_null());
}

/// Whether a context is the primary one is asked without making that.
#[test]
fn a_context_that_is_taken_over_makes_no_primary_context() {
    if !software() {
        skip!("only the software driver tells its calls");
    }
    fresh!(a_context_that_is_taken_over_makes_no_primary_context, {
        let device = Device::get(0).unwrap();
        let mut raw = std::ptr::null_mut();
        // SAFETY: writes one context to `raw`, which is valid for it; there is a device 0.
        unsafe { cuscope::call!(cuCtxCreate_v2(&raw mut raw, 0, device.raw())) }.unwrap();
        assert_eq!(foreign::pop(), raw);
        // SAFETY: 1. to 3. The context is alive, and nothing else uses it.
        let take = || unsafe { Context::from_raw(raw, Ownership::TakeOver) }.unwrap();
        let (context, calls) = record(take);
        assert!(!calls.contains(&"cuDevicePrimaryCtxRetain"), "{calls:?}");
        assert_eq!(context.device(), device);
        assert!(!device.primary_context_state().unwrap().active);
    });
}

#[test]
fn a_leaked_entry_that_foreign_code_popped_is_gone() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    std::mem::forget(outer.push(&b).unwrap());
    assert_eq!(foreign::pop(), b.raw());
    outer.push(&b).unwrap().pop().unwrap();
    assert_eq!(current(), a.raw());
    outer.pop().unwrap();
    assert!(current().is_null());
    drop(stack);

    let mut stack = ContextStack::current_thread().unwrap();
    std::mem::forget(stack.push(&b).unwrap());
    assert_eq!(foreign::pop(), b.raw());
    stack.push(&a).unwrap().pop().unwrap();
    assert!(current().is_null());
}

#[test]
fn a_guard_that_cannot_pop_keeps_its_context_until_its_entry_is_gone() {
    let (a, b, other) = (new_context(), new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    let inner = outer.push(&b).unwrap();
    foreign::push(other.raw());
    let call = "cuCtxPopCurrent_v2";
    assert_eq!(inner.pop().unwrap_err(), Error::NotCurrent { call });
    let b = b.try_destroy().expect_err("its entry is on the stack");
    assert_eq!(foreign::pop(), other.raw());
    outer.synchronize().unwrap(); // pops the leaked entry
    b.try_destroy().expect("its entry is gone").unwrap();
    outer.pop().unwrap();
    assert!(current().is_null());
}

/// Foreign code took the entry of the upper guard, so that of the lower one is on top, of the very context that is pushed.
#[test]
fn a_push_that_fails_takes_no_entry_of_a_guard_below() {
    if !software() {
        skip!("needs a fault");
    }
    for code in [ffi::CUDA_ERROR_OUT_OF_MEMORY, ffi::CUDA_ERROR_LAUNCH_FAILED] {
        let (a, b) = (new_context(), new_context());
        let mut stack = ContextStack::current_thread().unwrap();
        let mut outer = stack.push(&a).unwrap();
        let mut inner = outer.push(&b).unwrap();
        assert_eq!(foreign::pop(), b.raw());
        let fault = Fault { which: Which::Nth(0), code, performed: false };
        let (done, _) = with_fault(fault, || inner.push(&a).map(drop));
        assert_eq!(done.unwrap_err().code(), Some(code));
        assert_eq!(current(), a.raw());
        inner.pop().unwrap_err();
        outer.pop().unwrap();
        assert!(current().is_null());
    }
}

/// As `cudaSetDevice` does in a library: sets, and restores by setting again.
#[test]
fn foreign_code_that_sets_and_restores_is_not_noticed() {
    let (a, foreign) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    for _ in 0..3 {
        let before = current();
        foreign::set(foreign.raw());
        foreign::set(before);
        outer.synchronize().unwrap();
        outer.push(&foreign).unwrap().pop().unwrap();
    }
    outer.pop().unwrap();
    assert!(current().is_null());
}

/// F7, F87: on a thread without contexts `cudaSetDevice` pushes, and stays.
#[test]
fn a_context_that_foreign_code_sets_first_stays_below() {
    let (a, foreign) = (new_context(), new_context());
    foreign::set(foreign.raw());
    {
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&a).unwrap();
        gpu.synchronize().unwrap();
        std::mem::forget(gpu);
    }
    assert_eq!(current(), foreign.raw());
    foreign::set(std::ptr::null_mut());
    assert!(current().is_null());
}

/// F89: the handles of a primary context that was reset behind one's back answer with errors, and the
/// context can be retained again. A real driver may follow dangling pointers here.
#[test]
fn a_primary_context_that_is_reset_behind_our_back_is_told() {
    static REPORTED: Mutex<Vec<String>> = Mutex::new(Vec::new());
    dangling!(a_primary_context_that_is_reset_behind_our_back_is_told, {
        cuscope::on_release_error(|error| REPORTED.lock().unwrap().push(error.to_string()));
        let device = Device::get(0).unwrap();
        let (primary, other) = (Context::primary(device).unwrap(), new_context());
        let mut stack = ContextStack::current_thread().unwrap();
        let mut outer = stack.push(&other).unwrap();
        let gpu = outer.push(&primary).unwrap();
        let (stream, buffer) = (gpu.stream().unwrap(), gpu.alloc::<u8>(16).unwrap());
        // SAFETY: that this is not to be done is what is tested.
        assert_eq!(unsafe { ffi::cuDevicePrimaryCtxReset_v2(device.raw()) }, ffi::CUDA_SUCCESS);
        let destroyed = Some(ffi::CUDA_ERROR_CONTEXT_IS_DESTROYED);
        for error in [
            gpu.synchronize().unwrap_err(),
            stream.synchronize().unwrap_err(),
            gpu.alloc::<u8>(16).unwrap_err(),
        ] {
            assert_eq!(error.code(), destroyed, "{error}");
            assert!(error.to_string().contains("outside this crate"), "{error}");
        }
        let mut host = [0; 16];
        gpu.on(&stream).download(&buffer, &mut host).unwrap_err();
        drop((stream, buffer));
        assert_eq!(REPORTED.lock().unwrap().len(), 2, "{REPORTED:?}");
        gpu.pop().unwrap();
        assert_eq!(current(), other.raw());
        outer.synchronize().unwrap();
        let again = Context::primary(device).unwrap();
        assert_eq!(again, primary);
        outer.push(&again).unwrap().synchronize().unwrap();
        drop((again, primary));
        outer.pop().unwrap();
        assert!(current().is_null());
    });
}
