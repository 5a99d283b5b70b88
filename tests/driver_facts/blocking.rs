//! Calls that block, and calls that threads make side by side: F50 to F54, F90, F91, F105, F633.

use crate::common::until;
use crate::fresh;
use crate::raw::*;
use cuscope::ffi::CUstream_flags;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Whether the stream of a place has nothing left to do.
fn idle(place: &Place) -> bool {
    code!(cuStreamQuery(place.stream)) == SUCCESS
}

/// F50
#[test]
fn calls_that_free_or_load_wait_for_all_work_of_the_context() {
    fresh!(calls_that_free_or_load_wait_for_all_work_of_the_context, {
        let a = Place::new();
        ok!(cuCtxPushCurrent_v2(a.context));
        let (memory, host) = (made!(cuMemAlloc_v2(64)), made!(cuMemAllocHost_v2(64)));
        let module = load_kernels();
        let waits: [(&str, &dyn Fn() -> CUresult); 5] = [
            ("cuMemFree", &|| code!(cuMemFree_v2(memory))),
            ("cuMemFreeHost", &|| code!(cuMemFreeHost(host))),
            ("cuModuleUnload", &|| code!(cuModuleUnload(module))),
            ("cuModuleLoadData", &|| {
                let mut module = null_mut();
                code!(cuModuleLoadData(&raw mut module, KERNELS.as_ptr().cast()))
            }),
            ("cuCtxSynchronize", &|| code!(cuCtxSynchronize())),
        ];
        for (name, call) in waits {
            busy(&a);
            assert_eq!(call(), SUCCESS, "{name}");
            assert!(idle(&a), "{name} did not wait");
        }
        let start = Instant::now();
        busy(&a);
        assert_eq!(pop(), a.context);
        a.destroy();
        assert!(start.elapsed() > LONG / 2, "cuCtxDestroy did not wait");
    });
}

/// F51
#[test]
fn calls_that_create_or_destroy_do_not_wait() {
    fresh!(calls_that_create_or_destroy_do_not_wait, {
        let a = Place::new();
        ok!(cuCtxPushCurrent_v2(a.context));
        let on_stream = made!(cuMemAllocAsync(64, a.stream));
        let event = made!(cuEventCreate(0));
        let gate = hold(&a);
        // In a row, while one kernel runs: a stream of its own is destroyed with work in it.
        let stream = made!(cuStreamCreate(CUstream_flags::CU_STREAM_NON_BLOCKING.bits()));
        let queued = launch(a.kernel(c"spin"), stream, &[LONG_NANOSECONDS]);
        assert_eq!(queued, SUCCESS);
        ok!(cuStreamDestroy_v2(stream));
        ok!(cuEventRecord(event, a.stream));
        ok!(cuEventDestroy_v2(event));
        let memory: CUdeviceptr = made!(cuMemAlloc_v2(64));
        ok!(cuMemFreeAsync(on_stream, a.stream));
        ok!(cuCtxPushCurrent_v2(a.context));
        assert_eq!(pop(), a.context);
        assert!(!idle(&a), "something waited");
        gate.open();
        ok!(cuCtxSynchronize());
        ok!(cuMemFree_v2(memory));
        assert_eq!(pop(), a.context);
        a.destroy();
    });
}

/// F52
#[test]
fn the_null_stream_overtakes_a_non_blocking_stream() {
    fresh!(the_null_stream_overtakes_a_non_blocking_stream, {
        let a = Place::new();
        let value = 7_u32;
        let gate = hold(&a);
        within(a.context, || {
            ok!(cuMemcpyHtoD_v2(a.memory, (&raw const value).cast(), size_of_val(&value)));
            let mut seen = 0_u32;
            ok!(cuMemcpyDtoH_v2((&raw mut seen).cast(), a.memory, size_of_val(&seen)));
            assert_eq!(seen, value);
        });
        assert!(!idle(&a), "a copy without a stream waited");
        gate.open();
        ok!(cuStreamSynchronize(a.stream));
        a.destroy();
    });
}

/// F633
#[test]
fn fills_and_copies_on_the_device_without_a_stream_do_not_wait() {
    fresh!(fills_and_copies_on_the_device_without_a_stream_do_not_wait, {
        let a = place();
        let seen = || {
            ok!(cuMemcpyDtoHAsync_v2(a.host, a.memory, 128, a.stream));
            ok!(cuStreamSynchronize(a.stream));
            let bytes = a.host.cast::<[u8; 128]>();
            // SAFETY: page-locked memory of the context, which no work uses any more.
            unsafe { bytes.read() }
        };
        // Once before: the first of each may wait for what the context holds.
        ok!(cuMemcpyDtoD_v2(a.memory + 64, a.memory, 64));
        ok!(cuCtxSynchronize());
        assert_eq!(seen(), [0; 128]);
        let gate = Gate::new(a.module, null_mut());
        ok!(cuMemsetD8_v2(a.memory, 1, 64));
        ok!(cuMemcpyDtoD_v2(a.memory + 64, a.memory, 64));
        assert_eq!(seen(), [0; 128], "the non-blocking stream waited");
        assert_eq!(code!(cuStreamQuery(null_mut())), NOT_READY, "they waited");
        gate.open();
        ok!(cuCtxSynchronize());
        assert_eq!(seen(), [1; 128]);
        assert_eq!(pop(), a.context);
        a.destroy();
    });
}

/// F53, F54
#[test]
fn copies_with_pageable_memory_return_when_it_is_free_again() {
    const LARGE: usize = 64 << 20;
    fresh!(copies_with_pageable_memory_return_when_it_is_free_again, {
        let a = Place::new();
        let mut source = vec![1_u8; LARGE];
        let memory: CUdeviceptr = within(a.context, || made!(cuMemAlloc_v2(LARGE)));
        let up = |source: &[u8]| {
            ok!(cuMemcpyHtoDAsync_v2(memory, source.as_ptr().cast(), source.len(), a.stream));
        };
        // A small source is read at once, and the copy happens later.
        let gate = hold(&a);
        up(&source[..1 << 16]);
        assert!(!idle(&a), "a small copy waited");
        source[..1 << 16].fill(2);
        gate.open();
        ok!(cuStreamSynchronize(a.stream));
        // A large one is copied when the call returns.
        let mut seen = [0_u8; 64];
        let to: *mut c_void = seen.as_mut_ptr().cast();
        busy(&a);
        ok!(cuMemcpyDtoHAsync_v2(to, memory, seen.len(), a.stream));
        assert!(idle(&a), "a copy to pageable memory did not wait");
        assert_eq!(seen, [1; 64]);
        busy(&a);
        up(&source);
        source.fill(3);
        ok!(cuStreamSynchronize(a.stream));
        ok!(cuMemcpyDtoHAsync_v2(to, memory + (LARGE as u64) - 64, seen.len(), a.stream));
        assert_eq!(seen, [1; 64]);
        a.destroy();
    });
}

/// Runs two kinds of work on threads for a while; gives how often each went round.
fn side_by_side(works: &[&(dyn Fn() + Sync)]) -> Vec<usize> {
    let over = AtomicBool::new(false);
    let rounds: Vec<_> = works.iter().map(|_| AtomicUsize::new(0)).collect();
    thread::scope(|scope| {
        for (work, rounds) in works.iter().zip(&rounds) {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    work();
                    rounds.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        // Long enough for many rounds, and for one of each however busy the machine is.
        thread::sleep(Duration::from_millis(500));
        until("a round of each", || rounds.iter().all(|rounds| rounds.load(Ordering::Relaxed) > 0));
        over.store(true, Ordering::Relaxed);
    });
    rounds.into_iter().map(AtomicUsize::into_inner).collect()
}

/// A handle that came to another thread as a number.
fn handle<T>(number: usize) -> *mut T {
    std::ptr::with_exposed_provenance_mut(number)
}

/// Launches of an empty kernel in a context, in a row.
fn launches(context: usize, function: usize) {
    ok!(cuCtxSetCurrent(handle(context)));
    for _ in 0..50 {
        assert_eq!(launch(handle(function), null_mut(), &[]), SUCCESS);
    }
    ok!(cuCtxSynchronize());
}

/// F90
#[test]
fn threads_launch_while_others_allocate_and_free() {
    fresh!(threads_launch_while_others_allocate_and_free, {
        let context = create_context();
        let nothing = kernel(load_kernels(), c"nothing").expose_provenance();
        let number = context.expose_provenance();
        let frees = || {
            ok!(cuCtxSetCurrent(handle(number)));
            let stream = made!(cuStreamCreate(0));
            let memory: CUdeviceptr = made!(cuMemAlloc_v2(4096));
            ok!(cuMemFree_v2(memory));
            ok!(cuStreamDestroy_v2(stream));
        };
        let run = || launches(number, nothing);
        let rounds = side_by_side(&[&run, &run, &frees, &frees]);
        assert!(rounds.iter().all(|&count| count > 0), "{rounds:?}");
        ok!(cuCtxDestroy_v2(context));
    });
}

/// F91
#[test]
fn threads_launch_while_others_load_modules_and_create_contexts() {
    fresh!(threads_launch_while_others_load_modules_and_create_contexts, {
        let context = create_context();
        let nothing = kernel(load_kernels(), c"nothing").expose_provenance();
        let number = context.expose_provenance();
        let loads = || {
            ok!(cuCtxSetCurrent(handle(number)));
            ok!(cuModuleUnload(load_kernels()));
        };
        let creates = || {
            let other = create_context();
            ok!(cuCtxDestroy_v2(other));
        };
        let run = || launches(number, nothing);
        let rounds = side_by_side(&[&run, &run, &loads, &creates]);
        assert!(rounds.iter().all(|&count| count > 0), "{rounds:?}");
        ok!(cuCtxDestroy_v2(context));
    });
}

/// F105
#[test]
fn the_handle_of_a_destroyed_stream_is_handed_out_again() {
    fresh!(the_handle_of_a_destroyed_stream_is_handed_out_again, {
        let context = create_context();
        let stream: CUstream = made!(cuStreamCreate(0));
        ok!(cuStreamDestroy_v2(stream));
        assert_eq!(made!(cuStreamCreate(0)), stream);
        ok!(cuCtxDestroy_v2(context));
    });
}
