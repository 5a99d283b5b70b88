//! Nothing is left alive or pushed, whatever goes wrong: counted by the software driver.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{kernel, new_context, try_new_context};
use crate::common::kernels::{STORE, TRAP};
use crate::common::{UNWINDS, panics};
use crate::{common, fresh, skip};
use cuscope::{
    Context, ContextFlags, ContextStack, Device, Error, LaunchConfig, OrderedStream, PushedGuard,
    Result, detached::Branded,
};
use cuscope_softdriver::control::{Live, live, stack_depth};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Makes one of everything, then does `last`.
fn one_of_everything<R>(last: impl FnOnce(&mut PushedGuard<'_>) -> Result<R>) -> Result<R> {
    let context = try_new_context()?;
    let _primary = Context::primary(Device::get(0)?)?;
    let mut stack = ContextStack::current_thread()?;
    let mut gpu = stack.push(&context)?;
    let (stream, event) = (gpu.stream()?, gpu.event()?);
    let mut buffer = gpu.alloc::<u32>(8)?;
    let function = gpu.load_ptx(STORE)?.function("store")?;
    // SAFETY: the kernel is store(u32 *, u32) and writes one element.
    unsafe {
        gpu.on(&stream).launch_unchecked(&function, LaunchConfig::new(1, 1), (&mut buffer, 1_u32))
    }?;
    gpu.on(&stream).record(&event)?;
    assert_ne!(live(), Live::default());
    last(&mut gpu)
}

#[track_caller]
fn assert_nothing_is_left() {
    assert_eq!(live(), Live::default());
    assert_eq!(stack_depth(), 0);
}

#[test]
fn nothing_is_left_after_success_error_and_panic() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(nothing_is_left_after_success_error_and_panic, {
        one_of_everything(|gpu| gpu.synchronize()).unwrap();
        assert_nothing_is_left();

        let error = one_of_everything(|gpu| gpu.alloc::<u8>(1 << 50).map(drop)).unwrap_err();
        assert_eq!(error.code(), Some(cuscope::ffi::CUDA_ERROR_OUT_OF_MEMORY));
        assert_nothing_is_left();

        assert!(panics(|| one_of_everything(|_| -> Result { panic!("in the middle") })));
        assert_nothing_is_left();

        // Every kind of refusal, with everything alive around it.
        let refusals: [fn(&mut PushedGuard<'_>) -> Result; 8] = [
            |gpu| gpu.load_ptx("garbage").map(drop),
            |gpu| gpu.load_ptx(STORE.replace("add", "x").replace("st.global", "xx")).map(drop),
            |gpu| gpu.load_ptx_file("/nowhere").map(drop),
            |gpu| gpu.load_ptx(STORE)?.function("nothing").map(drop),
            |gpu| gpu.alloc::<u16>(usize::MAX).map(drop),
            |gpu| gpu.stream_with(cuscope::StreamFlags::from_bits_retain(77)).map(drop),
            |_| ContextStack::current_thread().map(drop),
            |gpu| {
                let stream = gpu.stream()?;
                let store = gpu.load_ptx(STORE)?.function("store")?;
                let mut out = gpu.alloc::<u32>(1)?;
                let config = LaunchConfig::new(0, 1);
                // SAFETY: the kernel is store(u32 *, u32); it does not even run.
                unsafe { gpu.on(&stream).launch_unchecked(&store, config, (&mut out, 1_u32)) }
            },
        ];
        for (i, refusal) in refusals.into_iter().enumerate() {
            assert!(one_of_everything(refusal).is_err(), "refusal {i}");
            assert_nothing_is_left();
        }
    });
}

#[test]
fn contexts_that_cannot_be_made_leave_nothing() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(contexts_that_cannot_be_made_leave_nothing, {
        assert!(Device::get(99).is_err());
        let flags = ContextFlags::SCHED_SPIN | ContextFlags::SCHED_BLOCKING_SYNC;
        assert!(Context::create(Device::get(0).unwrap(), flags).is_err());
        assert_nothing_is_left();
    });
}

#[test]
fn leaked_values_are_all_that_stays() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(leaked_values_are_all_that_stays, {
        let (a, b) = (new_context(), new_context());
        {
            let mut stack = ContextStack::current_thread().unwrap();
            let mut outer = stack.push(&a).unwrap();
            std::mem::forget(outer.push(&b).unwrap());
            assert_eq!(stack_depth(), 2);
            outer.synchronize().unwrap();
            assert_eq!(stack_depth(), 1);
        }
        assert_eq!(stack_depth(), 0);
        // The leaked guard's entry was popped: nothing keeps its context.
        drop((a, b));
        assert_nothing_is_left();

        let (a, b) = (new_context(), new_context());
        let mut stack = ContextStack::current_thread().unwrap();
        std::mem::forget(stack.push(&a).unwrap());
        std::mem::forget(stack);
        drop((a, b));
        // The context that is still on the stack, and nothing else.
        assert_eq!(live(), Live { contexts: 1, ..Live::default() });
    });
}

#[test]
fn nothing_is_left_after_detaching_and_dropping_elsewhere() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(nothing_is_left_after_detaching_and_dropping_elsewhere, {
        let context = new_context();
        let detached = {
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&context).unwrap();
            let streams = vec![gpu.stream().unwrap(), gpu.stream().unwrap()];
            let module = gpu.load_ptx(STORE).unwrap();
            ((streams, gpu.alloc::<u8>(3).unwrap()).detach(), module.detach())
        };
        drop(context);
        assert_eq!(live().contexts, 1, "the handles keep it");
        std::thread::spawn(move || drop(detached)).join().unwrap();
        assert_nothing_is_left();
    });
}

/// Makes one of everything of an ordered stream, with work in flight, then does `last`.
fn one_ordered(last: impl FnOnce(&OrderedStream) -> Result) -> Result {
    let context = try_new_context()?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    let (ordered, other, mut stream) =
        (gpu.ordered_stream()?, gpu.ordered_stream()?, gpu.stream()?);
    let mut x = ordered.from_slice(&[1_u32; 8])?;
    let _kept = ordered.zeroed::<u32>(8).map(drop);
    let shared = ordered.from_slice(&[1_u32; 8])?.share();
    let mut copy = other.alloc::<u32>(8)?;
    other.copy(&shared, &mut copy)?;
    let copy = ordered.hand_over(copy)?;
    let _adopted = ordered.adopt(gpu.alloc::<u32>(8)?)?;
    let _rows = ordered.alloc_pitched::<u32>((3, 2))?;
    let _pending = ordered.download_owned(&copy, gpu.pinned(8)?)?;
    let graph = gpu.capture(&mut stream, |c| c.stream().fill(&mut c.hold_ordered(&mut x), 3))?;
    ordered.replay(&graph, &mut x)?;
    ordered.host_function(|| ())?;
    drop(x);
    assert_ne!(live(), Live::default());
    last(&ordered)
}

#[test]
fn nothing_is_left_of_ordered_streams() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(nothing_is_left_of_ordered_streams, {
        one_ordered(|ordered| ordered.synchronize()).unwrap();
        assert_nothing_is_left();
        one_ordered(|_| Ok(())).unwrap();
        assert_nothing_is_left();
        let error = one_ordered(|ordered| ordered.alloc::<u8>(1 << 50).map(drop)).unwrap_err();
        assert_eq!(error.code(), Some(cuscope::ffi::CUDA_ERROR_OUT_OF_MEMORY));
        assert_nothing_is_left();
        one_ordered(|ordered| ordered.alloc::<u8>(0).map(drop)).unwrap();
        assert_nothing_is_left();
        assert!(one_ordered(|ordered| ordered.alloc::<u16>(usize::MAX).map(drop)).is_err());
        assert_nothing_is_left();
        assert!(panics(|| one_ordered(|_| panic!("in the middle"))));
        assert_nothing_is_left();
        assert!(panics(|| {
            one_ordered(|ordered| {
                ordered.host_function(|| panic!("in the function"))?;
                ordered.synchronize()
            })
        }));
        assert_nothing_is_left();
    });
}

#[test]
fn a_failed_release_reaches_the_hook_and_not_the_caller() {
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    fresh!(a_failed_release_reaches_the_hook_and_not_the_caller, {
        cuscope::on_release_error(|error| {
            assert!(error.is_sticky() || matches!(error, Error::NotCurrent { .. }), "{error}");
            SEEN.fetch_add(1, Ordering::Relaxed);
            if UNWINDS {
                panic!("a hook that panics does no harm")
            }
        });
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let (stream, buffer) = (gpu.stream().unwrap(), gpu.alloc::<u8>(1).unwrap());
        let trap = kernel(&gpu, TRAP, "fault");
        // SAFETY: the kernel takes nothing and touches no memory.
        let fault = unsafe { gpu.on(&stream).launch_unchecked(&trap, LaunchConfig::new(1, 1), ()) };
        assert!(fault.unwrap_err().is_sticky());
        let dropped = catch_unwind(AssertUnwindSafe(|| drop((buffer, trap))));
        assert!(dropped.is_ok(), "a drop panicked");
        assert_eq!(SEEN.load(Ordering::Relaxed), 2, "the free and the unload");
        gpu.pop().unwrap();
    });
}
