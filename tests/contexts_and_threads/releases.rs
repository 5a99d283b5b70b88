//! The driver calls that release things, in order: the same each time, and the one that the safety manual states.
//!
//! Each test has a process of its own: a test whose allocation fails looks for kept blocks of all ordered streams, and a
//! stream that ends meanwhile is released by that thread.

use crate::common::gpu::{kernel, new_context};
use crate::common::kernels::STORE;
use crate::{common, fresh, skip};
use cuscope::detached::Branded;
use cuscope::ordered::OrderedOptions;
use cuscope::{ContextStack, PushedGuard, Result, ffi};
use cuscope_softdriver::control::record;
use cuscope_softdriver::faults::{Fault, Which, with_fault};

const LEN: usize = 16;

/// The calls of `f` that release or wait.
fn releases<R>(f: impl FnOnce() -> R) -> (R, Vec<&'static str>) {
    let ends = ["Free", "Destroy", "Unload", "Unregister", "PopCurrent", "Synchronize", "Release"];
    let (result, mut calls) = record(f);
    calls.retain(|call| ends.iter().any(|end| call.contains(end)));
    (result, calls)
}

/// Runs `f` under a guard of a new context many times, and gives the releases, which are the same each time.
#[track_caller]
fn always(f: impl Fn(&mut PushedGuard<'_>) -> Result) -> Vec<&'static str> {
    let once = || {
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let (done, calls) = releases(|| f(&mut stack.push(&context)?));
        done.unwrap();
        calls
    };
    let first = once();
    for _ in 0..common::fewer(50, 2) {
        assert_eq!(once(), first);
    }
    first
}

#[test]
fn values_are_released_in_the_reverse_order_of_their_declaration() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    fresh!(values_are_released_in_the_reverse_order_of_their_declaration, {
        let calls = always(|gpu| {
            let _stream = gpu.stream()?;
            let _event = gpu.event()?;
            let _buffer = gpu.alloc::<u32>(LEN)?;
            let _pinned = gpu.pinned::<u32>(LEN)?;
            let _store = kernel(gpu, STORE, "store");
            Ok(())
        });
        assert_eq!(
            calls,
            [
                "cuModuleUnload",
                "cuMemHostUnregister",
                "cuMemFree_v2",
                "cuEventDestroy_v2",
                "cuStreamDestroy_v2",
                "cuCtxPopCurrent_v2",
            ]
        );
    });
}

#[test]
fn a_detached_struct_is_released_field_by_field_and_its_context_last() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    fresh!(a_detached_struct_is_released_field_by_field_and_its_context_last, {
        let context = new_context();
        let detached = {
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&context).unwrap();
            let all = (gpu.event().unwrap(), gpu.alloc::<u32>(LEN).unwrap(), gpu.stream().unwrap());
            all.detach()
        };
        drop(context);
        assert_eq!(
            releases(|| drop(detached)).1,
            ["cuEventDestroy_v2", "cuMemFree_v2", "cuStreamDestroy_v2", "cuCtxDestroy_v2"]
        );
    });
}

#[test]
fn a_scope_waits_and_then_releases_its_events_and_its_memory() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    fresh!(a_scope_waits_and_then_releases_its_events_and_its_memory, {
        let calls = always(|gpu| {
            let [one, two] = [gpu.stream()?, gpu.stream()?];
            let mut buffers = [gpu.alloc::<u32>(LEN)?, gpu.alloc(LEN)?];
            let ((), calls) = releases(|| {
                gpu.scope(|scope| {
                    let (a, b) = (scope.on(&one), scope.on(&two));
                    let [mut x, mut y] = buffers.each_mut().map(|buffer| scope.hold(buffer));
                    let mut z = a.scratch::<u32>(LEN)?;
                    a.fill(&mut x, 1)?;
                    a.copy(&x, &mut z)?;
                    b.copy(&x, &mut y)?;
                    a.copy(&y, &mut x)
                })
                .unwrap();
            });
            // The memory in the order of a stream, then the waits, then the events that ordered the two.
            assert_eq!(
                calls,
                [
                    "cuMemFreeAsync",
                    "cuStreamSynchronize",
                    "cuStreamSynchronize",
                    "cuEventDestroy_v2",
                    "cuEventDestroy_v2"
                ]
            );
            Ok(())
        });
        assert_eq!(
            calls[5..],
            [
                "cuMemFree_v2",
                "cuMemFree_v2",
                "cuStreamDestroy_v2",
                "cuStreamDestroy_v2",
                "cuCtxPopCurrent_v2"
            ]
        );
    });
}

#[test]
fn a_graph_is_released_before_what_it_uses() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    fresh!(a_graph_is_released_before_what_it_uses, {
        let calls = always(|gpu| {
            let mut stream = gpu.stream()?;
            let mut buffer = gpu.alloc::<u32>(LEN)?;
            let graph =
                gpu.capture(&mut stream, |c| c.stream().fill(&mut c.hold(&mut buffer), 1_u32))?;
            gpu.on(&gpu.stream()?).replay(&graph, (&mut buffer,))
        });
        assert_eq!(
            calls,
            [
                "cuStreamSynchronize",
                "cuStreamDestroy_v2",
                "cuGraphExecDestroy",
                "cuGraphDestroy",
                "cuMemFree_v2",
                "cuStreamDestroy_v2",
                "cuCtxPopCurrent_v2"
            ]
        );
    });
}

#[test]
fn an_ordered_stream_is_released_once_its_memory_is() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    fresh!(an_ordered_stream_is_released_once_its_memory_is, {
        let mut calls = always(|gpu| {
            let (one, two) = (gpu.ordered_stream()?, gpu.ordered_stream()?);
            let x = one.zeroed::<u32>(LEN)?;
            let y = two.hand_over(x)?;
            let z = one.alloc::<u32>(LEN)?;
            drop((one, two));
            drop((y, z));
            Ok(())
        });
        // The memory of uploads goes with the value of each stream, and the stream with its last memory. Events are destroyed
        // with what they are for.
        calls.retain(|call| *call != "cuEventDestroy_v2");
        assert_eq!(
            calls,
            [
                "cuMemHostUnregister",
                "cuMemHostUnregister",
                "cuMemFreeAsync",
                "cuStreamDestroy_v2",
                "cuMemFreeAsync",
                "cuStreamDestroy_v2",
                "cuCtxPopCurrent_v2"
            ]
        );
    });
}

/// The memory of uploads is the device's until the stream is idle.
#[test]
fn the_memory_of_uploads_is_released_behind_a_wait() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    fresh!(the_memory_of_uploads_is_released_behind_a_wait, {
        let context = new_context();
        let stream = context.ordered_stream().unwrap();
        let mut x = stream.zeroed::<u32>(LEN).unwrap();
        stream.upload(&[1; LEN], &mut x).unwrap();
        let ((), calls) = releases(|| drop(stream));
        let calls: Vec<_> = calls.into_iter().filter(|call| !call.contains("Event")).collect();
        assert_eq!(calls, ["cuStreamSynchronize", "cuMemHostUnregister"]);

        // A wait for a part of it says which call failed.
        const SEGMENT: usize = 1024;
        let options = OrderedOptions::new().staging(4 * SEGMENT);
        let stream = context.ordered_stream_with(&options).unwrap();
        let mut x = stream.zeroed::<u8>(SEGMENT).unwrap();
        let which = Which::Named("cuEventSynchronize");
        let fault = Fault { which, code: ffi::CUDA_ERROR_UNKNOWN, performed: true };
        let upload = || (0..8).try_for_each(|_| stream.upload(&[1; SEGMENT], &mut x));
        let refused = with_fault(fault, upload).0.unwrap_err();
        assert_eq!(refused.call(), Some("cuEventSynchronize"), "{refused}");
    });
}

#[test]
fn guards_pop_from_the_top() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    fresh!(guards_pop_from_the_top, {
        let context = new_context();
        let calls = always(|gpu| {
            let mut inner = gpu.push(&context)?;
            let _stream = inner.stream()?;
            let _buffer = inner.push(&context)?.alloc::<u32>(LEN)?;
            Ok(())
        });
        assert_eq!(
            calls,
            [
                "cuCtxPopCurrent_v2",
                "cuMemFree_v2",
                "cuStreamDestroy_v2",
                "cuCtxPopCurrent_v2",
                "cuCtxPopCurrent_v2"
            ]
        );
    });
}
