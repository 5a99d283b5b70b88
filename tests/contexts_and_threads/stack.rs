//! The rules of the stack at run time, on whichever driver answers.
#![allow(unsafe_code, reason = "plays foreign code that changes the stack behind the crate's back")]

use crate::common::foreign::{self, current};
use crate::common::gpu::new_context;
use crate::common::{fewer, panics};
use crate::{common, fresh, needs_unwinding, skip};
use cuscope::diagnostics::on_driver_log;
use cuscope::{
    Context, ContextFlags, ContextStack, Device, Error, PushContext, Result, detached::Branded, ffi,
};
use cuscope_softdriver::control::stack_depth;
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::mem::forget;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn is_empty() -> bool {
    current().is_null()
}

#[test]
fn creating_a_context_leaves_the_stack_as_it_was() {
    let a = new_context();
    assert!(is_empty());
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&a).unwrap();
    let b = new_context();
    assert_eq!(current(), a.raw());
    assert_ne!(a, b);
    gpu.synchronize().unwrap();
}

#[test]
fn the_primary_context_is_one_however_often_it_is_retained() {
    let device = Device::get(0).unwrap();
    let (a, b) = (Context::primary(device).unwrap(), Context::primary(device).unwrap());
    assert_eq!(a, b);
    assert!(is_empty());
    let mut stack = ContextStack::current_thread().unwrap();
    let outer = stack.push(&a).unwrap();
    let stream = outer.stream().unwrap().detach();
    outer.pop().unwrap();
    // Handles made under one retain are usable under another.
    let gpu = stack.push(&b).unwrap();
    assert!(gpu.bind(&stream).unwrap().query().unwrap());
}

#[test]
fn a_guard_is_current_until_popped_or_dropped() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    assert_eq!(current(), a.raw());
    {
        let _inner = outer.push(&b).unwrap();
        assert_eq!(current(), b.raw());
    }
    assert_eq!(current(), a.raw());
    let inner = outer.push(&b).unwrap();
    inner.pop().unwrap();
    assert_eq!(current(), a.raw());
    outer.pop().unwrap();
    assert!(is_empty());
}

#[test]
fn the_same_context_may_be_pushed_twice() {
    let a = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    let inner = outer.push(&a).unwrap();
    inner.pop().unwrap();
    assert_eq!(current(), a.raw());
    outer.synchronize().unwrap();
    outer.pop().unwrap();
    assert!(is_empty());
}

#[test]
fn a_thread_has_one_stack_at_a_time() {
    let stack = ContextStack::current_thread().unwrap();
    assert_eq!(ContextStack::current_thread().unwrap_err(), Error::StackTaken);
    let taken = ContextStack::reentrant(|_| ContextStack::current_thread().map(|_| ()));
    assert_eq!(taken.unwrap_err(), Error::StackTaken);
    drop(stack);
    drop(ContextStack::current_thread().unwrap());
}

#[test]
fn a_leaked_guard_is_popped_when_its_parent_is_next_used() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    std::mem::forget(outer.push(&b).unwrap());
    assert_eq!(current(), b.raw());
    outer.stream().unwrap(); // pops the leaked entry, then runs in `a`
    assert_eq!(current(), a.raw());
    std::mem::forget(outer.push(&b).unwrap());
    outer.pop().unwrap();
    assert!(is_empty());
    std::mem::forget(stack.push(&b).unwrap());
    drop(stack);
    assert!(is_empty());
}

#[test]
fn a_leaked_chain_deeper_than_the_inline_record_is_popped() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let outer = stack.push(&a).unwrap();
    fn nest(mut guard: cuscope::PushedGuard<'_>, other: &Context, left: u32) {
        if left > 0 {
            nest(guard.push(other).unwrap(), other, left - 1);
        }
        std::mem::forget(guard);
    }
    nest(outer, &b, 100);
    assert_eq!(current(), b.raw());
    let gpu = stack.push(&a).unwrap();
    gpu.synchronize().unwrap();
    gpu.pop().unwrap();
    assert!(is_empty());
}

#[test]
fn a_leaked_guard_keeps_its_context_alive() {
    let a = new_context();
    let raw = a.raw();
    let mut stack = ContextStack::current_thread().unwrap();
    std::mem::forget(stack.push(&a).unwrap());
    let a = a.try_destroy().unwrap_err();
    drop(a);
    assert_eq!(current(), raw);
    let mut device = -1;
    // SAFETY: writes one `CUdevice`; the current context is alive, which is what is asserted.
    assert_eq!(unsafe { ffi::cuCtxGetDevice(&raw mut device) }, ffi::CUDA_SUCCESS);
    // SAFETY: no obligations.
    assert_eq!(unsafe { ffi::cuCtxSynchronize() }, ffi::CUDA_SUCCESS, "not destroyed (F13)");
}

#[test]
fn contexts_die_with_their_last_user() {
    let a = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&a).unwrap();
    let kept = gpu.stream().unwrap().detach();
    gpu.pop().unwrap();
    let a = a.try_destroy().expect_err("the stream holds it");
    drop(kept);
    a.try_destroy().expect("nothing holds it").unwrap();
}

#[test]
fn guard_dropped_before_its_handles() {
    let a = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&a).unwrap();
    let (stream, buffer) = (gpu.stream().unwrap(), gpu.alloc::<u8>(100).unwrap());
    let pair = (stream, buffer).detach();
    drop(gpu);
    assert!(is_empty());
    drop(pair); // frees without a current context (F40)
    a.try_destroy().expect("nothing holds it").unwrap();
}

#[test]
fn a_panic_pops() {
    needs_unwinding!("the panic pops");
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    assert!(panics(|| {
        let _inner = outer.push(&b).unwrap();
        panic!("in the middle");
    }));
    assert_eq!(current(), a.raw());
    outer.synchronize().unwrap();
}

#[test]
fn reentrant_leaves_the_stack_as_found_also_on_leaks_and_panics() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let outer = stack.push(&a).unwrap();
    ContextStack::reentrant(|stack| {
        let gpu = stack.push(&b)?;
        gpu.synchronize()?;
        std::mem::forget(gpu);
        std::mem::forget(stack.push(&b)?);
        Ok(())
    })
    .unwrap();
    assert_eq!(current(), a.raw());
    assert!(panics(|| {
        ContextStack::reentrant(|stack| -> Result {
            std::mem::forget(stack.push(&b)?);
            panic!("in the middle");
        })
    }));
    assert_eq!(current(), a.raw());
    outer.pop().unwrap();
    ContextStack::reentrant(|stack| stack.push(&b)?.synchronize()).unwrap();
    assert!(is_empty());
}

/// Also below a guard, with an error, a panic and a leak.
#[test]
fn a_context_is_pushed_for_a_closure_and_popped() {
    let (a, b) = (new_context(), new_context());
    assert_eq!(a.with(|gpu| Ok(gpu.context().raw())).unwrap(), a.raw());
    assert!(is_empty());
    let mut stack = ContextStack::current_thread().unwrap();
    let outer = stack.push(&a).unwrap();
    let stream = b.with(|gpu| {
        assert_eq!(current(), b.raw());
        let stream = gpu.stream()?.detach();
        std::mem::forget(gpu.push(&a)?);
        Ok(stream)
    });
    assert!(b.with(|gpu| gpu.bind(&stream.unwrap())?.query()).unwrap());
    assert_eq!(current(), a.raw());
    let error = b.with(|gpu| {
        gpu.synchronize()?;
        Err::<(), _>(Error::NotCurrent { call: "none" })
    });
    assert_eq!(error.unwrap_err().call(), Some("none"));
    assert_eq!(current(), a.raw());
    assert!(panics(|| b.with(|_| -> Result { panic!("in the middle") })));
    assert_eq!(current(), a.raw());
    outer.pop().unwrap();
    assert!(is_empty());
}

/// The guard's context can be pushed on it: the guard does not lend it, but has it.
#[test]
fn the_context_of_a_guard_is_pushed_on_it() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&context).unwrap();
    let of_outer = outer.context();
    let inner = outer.push(of_outer).unwrap();
    assert_eq!(inner.context(), of_outer);
    inner.pop().unwrap();
    outer.push(outer.context()).unwrap().pop().unwrap();
    assert_eq!(current(), context.raw());
    outer.pop().unwrap();
    assert!(is_empty());
}

#[test]
fn guards_of_outer_frames_neither_push_nor_pop_inside_reentrant() {
    let (a, b, c) = (new_context(), new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    ContextStack::reentrant(|nested| {
        let inner = nested.push(&b)?;
        let call = "cuCtxPushCurrent_v2";
        assert_eq!(outer.push(&c).unwrap_err(), Error::Suspended { call });
        let call = "cuStreamCreate";
        assert_eq!(outer.stream().unwrap_err(), Error::Suspended { call });
        assert_eq!(current(), b.raw());
        inner.pop()
    })
    .unwrap();
    outer.push(&c).unwrap().pop().unwrap();
    outer.pop().unwrap();
}

/// Attack A6: dropped inside, an outer guard must not pop the inner one's entry.
#[test]
fn reentrant_drops_outer_guard() {
    let (a, b, c) = (new_context(), new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let outer = stack.push(&a).unwrap();
    ContextStack::reentrant(|nested| {
        let inner = nested.push(&b)?;
        drop(outer);
        assert_eq!(current(), b.raw(), "the outer guard popped somebody else's entry");
        ContextStack::reentrant(|deeper| {
            let _third = deeper.push(&c)?;
            let call = "cuMemAlloc_v2";
            assert_eq!(inner.alloc::<u8>(64).unwrap_err(), Error::Suspended { call });
            Ok(())
        })?;
        assert_eq!(current(), b.raw());
        inner.alloc::<u8>(64)?;
        inner.pop()
    })
    .unwrap();
    // The entry that the outer guard could not pop is popped when the stack is next used.
    let gpu = stack.push(&b).unwrap();
    gpu.pop().unwrap();
    assert!(is_empty());
}

/// Attack A9: token and guard held by something that is gone when `reentrant` ends.
#[test]
fn a_guard_of_a_leaked_stack_dropped_inside_reentrant_pops_nothing() {
    let (a, b) = (new_context(), new_context());
    let stack = Box::leak(Box::new(ContextStack::current_thread().unwrap()));
    let guard = stack.push(&a).unwrap();
    ContextStack::reentrant(move |nested| {
        let inner = nested.push(&b)?;
        drop(guard);
        assert_eq!(current(), b.raw());
        inner.pop()
    })
    .unwrap();
    // The leaked stack still owns the thread; its entry is popped once nothing is in the way. Here
    // nobody can reach it any more, so the thread keeps it: the context is alive.
    assert_eq!(current(), a.raw());
    assert_eq!(ContextStack::current_thread().unwrap_err(), Error::StackTaken);
}

#[test]
fn a_token_dropped_inside_reentrant_is_settled_when_that_ends() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    std::mem::forget(stack.push(&a).unwrap());
    let other = b.clone();
    ContextStack::reentrant(move |nested| {
        let inner = nested.push(&other)?;
        drop(stack);
        assert_eq!(current(), other.raw());
        inner.pop()
    })
    .unwrap();
    assert!(is_empty());
    let mut stack = ContextStack::current_thread().unwrap();
    stack.push(&b).unwrap().pop().unwrap();
}

/// Also if foreign code does so again and again, and never restores what it found.
#[test]
fn a_stack_goes_on_above_an_entry_that_foreign_code_set() {
    let (a, b, c) = (new_context(), new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    for set in [&b, &c, &b] {
        let gpu = stack.push(&a).unwrap();
        foreign::set(set.raw());
        assert_eq!(gpu.pop().unwrap_err(), Error::NotCurrent { call: "cuCtxPopCurrent_v2" });
        for context in [&a, set] {
            let mut gpu = stack.push(context).unwrap();
            gpu.synchronize().unwrap();
            gpu.push(&a).unwrap().pop().unwrap();
            gpu.pop().unwrap();
            assert_eq!(current(), set.raw(), "somebody else's entry was popped");
        }
        // A leaked guard is found and popped.
        std::mem::forget(stack.push(&a).unwrap());
        stack.push(&c).unwrap().pop().unwrap();
        assert_eq!(current(), set.raw());
    }
    for set in [&b, &c, &b] {
        assert_eq!(foreign::pop(), set.raw(), "each is where foreign code left it");
    }
    assert!(is_empty());
    a.try_destroy().expect_err("the crate does not know that the entries are gone");
}

/// Attack A7 and rows F87, F88.
#[test]
fn foreign_code_that_replaces_the_top_is_seen_and_its_entry_left_alone() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&a).unwrap();
    foreign::set(b.raw());
    assert_eq!(gpu.stream().unwrap_err(), Error::NotCurrent { call: "cuStreamCreate" });
    assert_eq!(gpu.pop().unwrap_err(), Error::NotCurrent { call: "cuCtxPopCurrent_v2" });
    assert_eq!(current(), b.raw(), "somebody else's entry was popped");
    assert_eq!(foreign::pop(), b.raw());
    assert!(is_empty());
    // The entry of the lost guard is gone; the stack is usable again.
    stack.push(&a).unwrap().pop().unwrap();
    assert!(is_empty());
}

#[test]
fn foreign_code_that_pops_our_entry_does_not_make_us_pop_the_one_below() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&b).unwrap();
    let inner = outer.push(&a).unwrap();
    assert_eq!(foreign::pop(), a.raw());
    assert_eq!(inner.pop().unwrap_err(), Error::NotCurrent { call: "cuCtxPopCurrent_v2" });
    assert_eq!(current(), b.raw());
    outer.push(&a).unwrap().pop().unwrap();
    outer.pop().unwrap();
    assert!(is_empty());
}

#[test]
fn foreign_pushes_left_on_top_are_not_popped_and_settled_later() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&a).unwrap();
    foreign::push(b.raw());
    assert_eq!(gpu.synchronize().unwrap_err(), Error::NotCurrent { call: "cuCtxSynchronize" });
    drop(gpu);
    assert_eq!(current(), b.raw());
    // The next guard lies above.
    stack.push(&a).unwrap().pop().unwrap();
    assert_eq!(foreign::pop(), b.raw());
    assert_eq!(current(), a.raw(), "our entry is still there");
    stack.push(&b).unwrap().pop().unwrap(); // pops it
    assert!(is_empty());
}

#[test]
fn a_context_that_foreign_code_pushed_before_stays_below() {
    let (a, b) = (new_context(), new_context());
    foreign::push(b.raw());
    let mut stack = ContextStack::current_thread().unwrap();
    std::mem::forget(stack.push(&a).unwrap());
    drop(stack);
    assert_eq!(current(), b.raw());
    assert_eq!(foreign::pop(), b.raw());
    assert!(is_empty());
}

#[test]
fn a_dead_token_under_a_foreign_entry_is_settled_by_the_next_one() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    std::mem::forget(stack.push(&a).unwrap());
    foreign::push(b.raw());
    drop(stack); // cannot pop: the foreign entry is on top
    assert_eq!(current(), b.raw());
    // A live guard of the next token is not mistaken for what the first one left.
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&a).unwrap();
    ContextStack::reentrant(|nested| nested.push(&b)?.pop()).unwrap();
    gpu.synchronize().unwrap();
    gpu.pop().unwrap();
    drop(stack);
    assert_eq!(foreign::pop(), b.raw());
    drop(ContextStack::current_thread().unwrap());
    assert!(is_empty());
}

#[test]
fn an_entry_that_foreign_code_covers_in_a_frame_is_popped_outside_of_it() {
    let (a, b) = (new_context(), new_context());
    let leave_covered = || {
        ContextStack::reentrant(|inner| {
            std::mem::forget(inner.push(&a)?);
            foreign::push(b.raw());
            Ok(())
        })
        .unwrap();
        assert_eq!(foreign::pop(), b.raw());
        assert_eq!(current(), a.raw(), "it could not be popped");
    };
    // By the frame outside, which leaves nothing for a stack to pop.
    ContextStack::reentrant(|_| {
        leave_covered();
        Ok(())
    })
    .unwrap();
    assert!(is_empty());
    let mut stack = ContextStack::current_thread().unwrap();
    std::mem::forget(stack.push(&b).unwrap());
    drop(stack);
    assert!(is_empty(), "a stack pops what is its own");
    // By the next stack, where no frame and no stack is outside.
    leave_covered();
    drop(ContextStack::current_thread().unwrap());
    assert!(is_empty());
}

/// The brand of soundness: guards whose place is leaked can share a brand, so handles are compared.
#[test]
fn unified_brands() {
    let [a, b]: [&'static Context; 2] =
        [new_context(), new_context()].map(|c| &*Box::leak(Box::new(c)));
    let stack: &'static mut ContextStack =
        Box::leak(Box::new(ContextStack::current_thread().unwrap()));
    let outer: &'static mut cuscope::PushedGuard<'static> =
        Box::leak(Box::new(stack.push(a).unwrap()));
    let mut of_a = outer.alloc::<u32>(4).unwrap();
    let stream_of_a = outer.stream().unwrap();
    let event_of_a = outer.event().unwrap();
    let inner = outer.push(b).unwrap();
    let stream = inner.stream().unwrap();
    let mut of_b = inner.alloc::<u32>(4).unwrap();
    let other = |call| Err(Error::OtherContext { call });
    let on = inner.on(&stream);
    assert_eq!(on.fill(&mut of_a, 1), other("cuMemsetD32Async"));
    assert_eq!(on.upload(&[0; 4], &mut of_a), other("cuMemcpyHtoDAsync_v2"));
    assert_eq!(on.download(&of_a, &mut [0; 4]), other("cuMemcpyDtoHAsync_v2"));
    assert_eq!(on.copy(&of_a, &mut of_b), other("cuMemcpyDtoDAsync_v2"));
    assert_eq!(on.zero(&mut of_a), other("cuMemsetD8Async"));
    assert_eq!(on.record(&event_of_a), other("cuEventRecord"));
    on.fill(&mut of_b, 1).unwrap();
    // Used consistently, the handles of the covered context work: none of this needs it current.
    inner.on(&stream_of_a).fill(&mut of_a, 1).unwrap();
    inner.pop().unwrap();
}

#[test]
fn a_library_pushes_on_whatever_stack_it_is_handed() {
    fn library(stack: &mut impl PushContext, own: &Context) -> Result<ffi::CUcontext> {
        let gpu = stack.push(own)?;
        gpu.synchronize()?;
        Ok(current())
    }
    let (a, own) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    assert_eq!(library(&mut stack, &own).unwrap(), own.raw());
    let mut gpu = stack.push(&a).unwrap();
    assert_eq!(library(&mut gpu, &own).unwrap(), own.raw());
    assert_eq!(current(), a.raw());
    ContextStack::reentrant(|nested| {
        assert_eq!(library(nested, &own)?, own.raw());
        Ok(())
    })
    .unwrap();
    gpu.pop().unwrap();
}

#[test]
fn attach_gives_the_handle_back_if_it_belongs_elsewhere() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&a).unwrap();
    let stream = gpu.stream().unwrap().detach();
    gpu.pop().unwrap();
    let gpu = stack.push(&b).unwrap();
    assert!(matches!(gpu.bind(&stream), Err(Error::OtherContext { .. })));
    let back = gpu.attach(stream).unwrap_err();
    gpu.pop().unwrap();
    let gpu = stack.push(&a).unwrap();
    let stream = gpu.attach(back.0).unwrap();
    assert!(stream.query().unwrap());
}

#[test]
fn contradictory_flags_are_refused_before_the_driver_sees_them() {
    let flags = ContextFlags::SCHED_SPIN | ContextFlags::SCHED_YIELD;
    let error = Context::create(Device::get(0).unwrap(), flags).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { call: "cuCtxCreate_v2", .. }), "{error}");
    let unknown = ContextFlags::from_bits_retain(1 << 30);
    let error = Context::create(Device::get(0).unwrap(), unknown).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { call: "cuCtxCreate_v2", .. }), "{error}");
}

/// F9: as deep as the thread's own stack lets a program nest.
#[test]
fn a_hundred_thousand_nested_pushes_come_back_down() {
    fn descend(guard: &mut cuscope::PushedGuard<'_>, contexts: [&Context; 2], left: u32) {
        if left > 0 {
            let mut inner = guard.push(contexts[0]).unwrap();
            descend(&mut inner, [contexts[1], contexts[0]], left - 1);
            if left.is_multiple_of(fewer(1000, 20) as u32) {
                inner.synchronize().unwrap();
            }
            inner.pop().unwrap();
        }
    }
    let (a, b) = (new_context(), new_context());
    let nest = move || {
        let mut stack = ContextStack::current_thread().unwrap();
        let mut gpu = stack.push(&a).unwrap();
        descend(&mut gpu, [&b, &a], fewer(100_000, 100) as u32);
        gpu.synchronize().unwrap();
        gpu.pop().unwrap();
        assert!(is_empty());
    };
    let deep = std::thread::Builder::new().stack_size(512 << 20);
    deep.spawn(nest).unwrap().join().unwrap();
}

/// A hook that runs while a leaked entry is popped, or looked for, may leave entries too, under one of other code. Then
/// nothing is settled, and nothing is lost.
#[test]
fn an_entry_is_not_settled_while_a_hook_leaves_others() {
    if !common::software() {
        skip!("only the software driver's log tells of calls that succeed");
    }
    fresh!(an_entry_is_not_settled_while_a_hook_leaves_others, {
        let [a, b, c] = [(); 3].map(|()| new_context());
        let (of_hook, of_other, leaves) = (c.clone(), b.clone(), Arc::new(AtomicBool::new(false)));
        let now = leaves.clone();
        let hook = on_driver_log(move |_, _| {
            if now.swap(false, Ordering::Relaxed) {
                let _covered = ContextStack::reentrant(|stack| {
                    forget(stack.push(&of_hook)?);
                    foreign::push(of_other.raw());
                    Ok(())
                });
            }
        });
        let Ok(_hook) = hook else { skip!("the driver has no hook of its log") };
        let which = Which::Named("cuCtxPopCurrent_v2");
        let told = Fault { which, code: ffi::CUDA_SUCCESS, performed: true };
        for covered in [false, true] {
            let mut stack = ContextStack::current_thread().unwrap();
            let mut gpu = stack.push(&b).unwrap();
            forget(gpu.push(&a).unwrap());
            if covered {
                foreign::push(b.raw());
            }
            let before = stack_depth();
            leaves.store(true, Ordering::Relaxed);
            let (used, _) = with_fault(told, || match covered {
                false => gpu.synchronize(),
                true => gpu.push(&c).map(drop),
            });
            // A new entry lies above those that cannot be settled.
            assert_eq!(matches!(used, Err(Error::NotCurrent { .. })), !covered, "{used:?}");
            assert_eq!(stack_depth(), before + 2, "{covered}");
            // Other code takes what is its own away, and what was put back on top of it.
            for _ in 0..2 {
                foreign::pop();
            }
            gpu.synchronize().unwrap();
            assert_eq!(stack_depth(), 1, "{covered}");
            drop(gpu);
            drop(stack);
        }
    });
}
