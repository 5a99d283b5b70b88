//! Order: streams, events, asynchronous copies, and what waits for what.
#![allow(unsafe_code, reason = "the driver's functions are unsafe")]

#[macro_use]
mod common;

use common::*;
use cuscope_sys::{CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED, CUmemoryPool};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[test]
fn an_asynchronous_copy_reads_pageable_memory_now_and_page_locked_memory_later() {
    let context = context();
    let stream = stream();
    let memory = device_memory(&[0, 0]);
    let locked: *mut c_void = made!(cuMemAllocHost_v2(4));
    let locked = locked.cast::<u32>();
    let mut pageable = 1_u32;
    // SAFETY: four bytes of page-locked memory, which only this thread writes.
    unsafe { locked.write(1) };
    let gate = Gate::new(stream);
    ok!(cuMemcpyHtoDAsync_v2(memory, (&raw const pageable).cast(), 4, stream));
    ok!(cuMemcpyHtoDAsync_v2(memory + 4, locked.cast(), 4, stream));
    assert_eq!(code!(cuStreamQuery(stream)), 600);
    pageable += 1;
    // SAFETY: as above; the copy that reads it waits behind the gate.
    unsafe { locked.write(pageable) };
    gate.open();
    ok!(cuStreamSynchronize(stream));
    assert_eq!(values(memory, 2), [1, 2]); // F53, F55
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn free_waits_for_the_context_and_the_rest_does_not() {
    let context = context();
    let busy = stream();
    let memory = device_memory(&[5]);
    let other: CUdeviceptr = made!(cuMemAlloc_v2(4));
    let event: CUevent = made!(cuEventCreate(0));
    let gate = Gate::new(busy);
    let start = Instant::now();
    // F51, F52
    ok!(cuStreamDestroy_v2(stream()));
    ok!(cuEventDestroy_v2(event));
    let _more: CUdeviceptr = made!(cuMemAlloc_v2(4));
    ok!(cuMemFreeAsync(other, busy));
    assert_eq!(code!(cuMemFree_v2(other)), 1);
    assert_eq!(values(memory, 1), [5]);
    let opener = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(60));
        gate.open();
    });
    ok!(cuMemFree_v2(memory)); // F50
    assert!(start.elapsed() >= Duration::from_millis(60));
    opener.join().unwrap();
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn a_stream_waits_for_an_event_of_another_context_and_device() {
    let a = context();
    let first = stream();
    let event: CUevent = made!(cuEventCreate(0));
    let b = context_on(1);
    let second = stream();
    let memory = device_memory(&[0]);
    let gate = Gate::new(first);
    assert_eq!(code!(cuEventRecord(event, second)), 400); // F36
    ok!(cuEventRecord(event, first));
    ok!(cuStreamWaitEvent(second, event, 0)); // F82
    ok!(cuMemsetD8Async(memory, 0xff, 4, second));
    assert_eq!(code!(cuEventQuery(event)), 600);
    assert_eq!(values(memory, 1), [0]);
    gate.open();
    ok!(cuStreamSynchronize(second));
    assert_eq!(values(memory, 1), [u32::MAX]);
    ok!(cuEventSynchronize(event));
    ok!(cuCtxDestroy_v2(b));
    ok!(cuCtxDestroy_v2(a));
}

#[test]
fn events_tell_the_time_between_them() {
    let context = context();
    let stream = stream();
    let (start, end): (CUevent, CUevent) = (made!(cuEventCreate(0)), made!(cuEventCreate(0)));
    let untimed: CUevent = made!(cuEventCreate(2));
    let mut elapsed = -1.0_f32;
    ok!(cuEventRecord(start, stream));
    assert_eq!(code!(cuEventElapsedTime(&raw mut elapsed, start, end)), 400);
    let spin = kernel("spin", "spin");
    assert_eq!(launch(spin, stream, &[30_000_000]), 0);
    ok!(cuEventRecord(end, stream));
    assert_eq!(code!(cuEventElapsedTime(&raw mut elapsed, start, end)), 600);
    ok!(cuEventSynchronize(end));
    ok!(cuEventElapsedTime(&raw mut elapsed, start, end));
    assert!((30.0..100_000.0).contains(&elapsed), "{elapsed}");
    ok!(cuEventRecord(untimed, stream));
    ok!(cuEventSynchronize(untimed));
    assert_eq!(code!(cuEventElapsedTime(&raw mut elapsed, start, untimed)), 400); // F65
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn every_stream_of_many_threads_does_its_work_in_order() {
    let context = context();
    let fill = kernel("fill", "fill");
    let handles = [context.expose_provenance(), fill.expose_provenance()];
    std::thread::scope(|scope| {
        for thread in 0..6_u32 {
            scope.spawn(move || {
                let [context, fill] = handles.map(std::ptr::with_exposed_provenance_mut::<u8>);
                ok!(cuCtxPushCurrent_v2(context.cast()));
                for round in 0..30 {
                    let stream = stream();
                    let memory: CUdeviceptr = made!(cuMemAllocAsync(4 * 64, stream));
                    for value in [round, thread] {
                        let arguments = [64, u64::from(value), memory];
                        assert_eq!(launch_many(fill.cast(), 2, 32, stream, &arguments), 0);
                    }
                    let mut seen = [0_u32; 64];
                    ok!(cuMemcpyDtoHAsync_v2(seen.as_mut_ptr().cast(), memory, 256, stream));
                    assert_eq!(seen, [thread; 64]);
                    ok!(cuMemFreeAsync(memory, stream));
                    ok!(cuStreamDestroy_v2(stream));
                }
                ok!(cuCtxPopCurrent_v2(null_mut()));
            });
        }
    });
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn the_null_streams_work_is_that_of_blocking_streams_too() {
    let context = context();
    let blocking: CUstream = made!(cuStreamCreate(0));
    let free = stream();
    let memory = device_memory(&[0]);
    let gate = Gate::new(free);
    ok!(cuStreamQuery(null_mut()));
    ok!(cuStreamSynchronize(null_mut()));
    gate.open();
    let gate = Gate::new(blocking);
    ok!(cuMemsetD32_v2(memory, 1, 1));
    assert_eq!(code!(cuStreamQuery(null_mut())), 600);
    let start = Instant::now();
    let opener = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(60));
        gate.open();
    });
    ok!(cuStreamSynchronize(null_mut()));
    assert!(start.elapsed() >= Duration::from_millis(50));
    opener.join().unwrap();
    assert_eq!(values(memory, 1), [1]);
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn a_host_function_may_use_explicit_streams_and_events_only() {
    /// The argument of the host function, and where its codes go.
    struct Seen {
        stream: CUstream,
        event: CUevent,
        memory: CUdeviceptr,
        codes: [u32; 8],
    }
    unsafe extern "C" fn calls(seen: *mut c_void) {
        // SAFETY: the test passes a `Seen` and leaves it alone until the stream is finished.
        let seen = unsafe { &mut *seen.cast::<Seen>() };
        let mut count = 0;
        seen.codes = [
            code!(cuDeviceGetCount(&raw mut count)),
            code!(cuMemFree_v2(0)),
            code!(cuStreamQuery(null_mut())),
            code!(cuMemcpyHtoDAsync_v2(seen.memory, (&raw const count).cast(), 4, seen.stream)),
            code!(cuStreamQuery(seen.stream)),
            code!(cuMemsetD8Async(seen.memory, 1, 4, seen.stream)),
            code!(cuEventRecord(seen.event, seen.stream)),
            code!(cuInit(0)),
        ];
    }
    let context = context();
    let (first, stream) = (stream(), stream());
    let event: CUevent = made!(cuEventCreate(0));
    let mut seen = Seen { stream, event, memory: device_memory(&[0]), codes: [1; 8] };
    ok!(cuLaunchHostFunc(first, Some(calls), (&raw mut seen).cast()));
    ok!(cuStreamSynchronize(first));
    assert_eq!(seen.codes, [800, 800, 800, 800, 0, 0, 0, 0]); // F23
    ok!(cuStreamSynchronize(stream));
    assert_eq!(values(seen.memory, 1), [0x0101_0101]);
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn no_capture_outlives_its_stream() {
    in_a_child("no_capture_outlives_its_stream", || {
        let context = context();
        let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Acquire) {
                    let stream =
                        std::ptr::with_exposed_provenance_mut(next.load(Ordering::Acquire));
                    let mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
                    let _code = code!(cuStreamBeginCapture_v2(stream, mode));
                }
            });
            for _ in 0..20_000 {
                let stream = stream();
                next.store(stream.expose_provenance(), Ordering::Release);
                ok!(cuStreamDestroy_v2(stream));
            }
            over.store(true, Ordering::Release);
        });
        // A global capture that is left would refuse this.
        let memory = made!(cuMemAlloc_v2(4));
        ok!(cuMemFree_v2(memory));
        ok!(cuCtxDestroy_v2(context));
    });
}

#[test]
fn a_capture_allocates_memory_that_each_launch_of_its_graph_has() {
    let context = context();
    let (stream, seen) = (stream(), device_memory(&[0; 4]));
    let capture = |work: &dyn Fn()| -> CUgraph {
        ok!(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
        work();
        let mut graph = null_mut();
        ok!(cuStreamEndCapture(stream, &raw mut graph));
        graph
    };
    let (freed, kept) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let first = capture(&|| {
        let pool: CUmemoryPool = made!(cuDeviceGetDefaultMemPool(0));
        freed.set(made!(cuMemAllocAsync(16, stream)));
        kept.set(made!(cuMemAllocFromPoolAsync(16, pool, stream)));
        assert!(freed.get() != 0 && kept.get() != 0 && freed.get() != kept.get());
        ok!(cuMemsetD32Async(freed.get(), 7, 4, stream));
        ok!(cuMemcpyDtoDAsync_v2(kept.get(), freed.get(), 16, stream));
        ok!(cuMemFreeAsync(freed.get(), stream));
        // Once in a graph, and nothing that no graph allocates.
        assert_eq!(code!(cuMemFreeAsync(freed.get(), stream)), 1);
        assert_eq!(code!(cuMemFreeAsync(seen, stream)), 1);
    });
    let second = capture(&|| {
        ok!(cuMemcpyDtoDAsync_v2(seen, kept.get(), 16, stream));
        ok!(cuMemFreeAsync(kept.get(), stream));
    });
    let execs = [first, second].map(|graph| -> CUgraphExec {
        let mut nodes = 0;
        ok!(cuGraphGetNodes(graph, null_mut(), &raw mut nodes));
        assert_eq!(nodes, if graph == first { 5 } else { 2 });
        made!(cuGraphInstantiateWithFlags(graph, 0))
    });
    for _ in 0..2 {
        ok!(cuMemsetD32_v2(seen, 0, 4));
        execs.iter().for_each(|&exec| ok!(cuGraphLaunch(exec, stream)));
        ok!(cuStreamSynchronize(stream));
        assert_eq!(values(seen, 4), [7; 4]);
        assert_eq!(code!(cuMemsetD32_v2(kept.get(), 0, 4)), 1);
    }
    ok!(cuCtxDestroy_v2(context));
}
