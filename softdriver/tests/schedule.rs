//! Orders that a seed decides: legal ones, late ones, many of them, and each again at will.
#![allow(unsafe_code, reason = "the driver's functions are unsafe")]

#[macro_use]
mod common;

use common::*;
use std::collections::HashSet;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc;
use std::time::Duration;

/// Page-locked memory for words.
fn locked(words: usize) -> *mut u32 {
    let memory: *mut c_void = made!(cuMemAllocHost_v2(4 * words));
    memory.cast()
}

/// A word of page-locked memory, as it is shared with the device.
fn word<'a>(memory: *mut u32, index: usize) -> &'a AtomicU32 {
    // SAFETY: an aligned word of page-locked memory, which lives as long as its context; the device only
    // touches it atomically, and that a copy may do so meanwhile is what the tests are about.
    unsafe { AtomicU32::from_ptr(memory.wrapping_add(index)) }
}

/// Writes a word of page-locked memory.
fn put(memory: *mut u32, index: usize, value: u32) {
    word(memory, index).store(value, Relaxed);
}

/// Reads a word of page-locked memory.
fn get(memory: *mut u32, index: usize) -> u32 {
    word(memory, index).load(Relaxed)
}

#[test]
fn a_seed_gives_one_order_and_seeds_give_many() {
    let _alone = alone();
    let context = context();
    let streams: Vec<_> = (0..4).map(|_| stream()).collect();
    let memory = device_memory(&[0; 4]);
    let run = |seed| {
        schedule::seed(seed);
        for value in 0..3 {
            for (i, &stream) in (0..).zip(&streams) {
                ok!(cuMemsetD32Async(memory + 4 * i, value, 1, stream));
            }
        }
        ok!(cuCtxSynchronize());
        assert_eq!(values(memory, 4), [2; 4]);
        schedule::order()
    };
    let mut orders = HashSet::new();
    for seed in 0..300 {
        let order = run(seed);
        assert_eq!(order, run(seed));
        // Each stream's work is in order.
        for stream in 0..4 {
            let own: Vec<_> = order.iter().filter(|&one| *one < 12 && one % 4 == stream).collect();
            assert!(own.len() == 3 && own.is_sorted());
        }
        orders.insert(order);
    }
    assert!(orders.len() >= 150, "{}", orders.len());
    assert_eq!(control::take_races(), []);
    schedule::stop();
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn page_locked_memory_is_read_as_late_as_the_seed_wants_and_pageable_memory_at_once() {
    let _alone = alone();
    let context = context();
    let stream = stream();
    let memory = device_memory(&[0, 0]);
    let source = locked(1);
    let mut seen = HashSet::new();
    for seed in 0..50 {
        schedule::seed(seed);
        let mut pageable = 1_u32;
        put(source, 0, 1);
        ok!(cuMemcpyHtoDAsync_v2(memory, source.cast(), 4, stream));
        ok!(cuMemcpyHtoDAsync_v2(memory + 4, (&raw const pageable).cast(), 4, stream));
        pageable += 1;
        put(source, 0, pageable);
        ok!(cuStreamSynchronize(stream));
        let values = values(memory, 2);
        assert_eq!(values[1], 1); // F53
        seen.insert(values[0]);
    }
    assert_eq!(seen, [1, 2].into()); // F55
    schedule::stop();
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn who_asks_again_and_again_or_waits_in_his_own_way_gets_his_work_done() {
    extern "C" fn send(to: *mut c_void) {
        // SAFETY: the box that the test handed over, once.
        let to = unsafe { Box::from_raw(to.cast::<mpsc::Sender<()>>()) };
        to.send(()).unwrap();
    }
    let _alone = alone();
    let context = context();
    let (stream, other) = (stream(), stream());
    let memory = device_memory(&[0, 0]);
    let event: CUevent = made!(cuEventCreate(0));
    for seed in 0..20 {
        schedule::seed(seed);
        ok!(cuMemsetD32Async(memory, 1, 1, stream));
        ok!(cuEventRecord(event, stream));
        while code!(cuEventQuery(event)) == 600 {}
        ok!(cuMemsetD32Async(memory, 2, 1, other));
        while code!(cuStreamQuery(other)) == 600 {}
        ok!(cuMemsetD32Async(memory, 3, 1, stream));
        let (to, done) = mpsc::channel::<()>();
        ok!(cuLaunchHostFunc(stream, Some(send), Box::into_raw(Box::new(to)).cast()));
        done.recv_timeout(Duration::from_secs(120)).unwrap();
        ok!(cuMemsetD32Async(memory, 4, 1, other));
        ok!(cuStreamSynchronize(other));
        assert_eq!(values(memory, 1), [4]);
    }
    assert_eq!(control::take_races(), []);
    schedule::stop();
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn a_function_of_the_host_that_waits_for_the_program_holds_up_only_its_stream() {
    let _alone = alone();
    let context = context();
    let (blocked, stream) = (stream(), stream());
    let memory = device_memory(&[0]);
    for seed in 0..10 {
        schedule::seed(seed);
        let gate = Gate::new(blocked);
        ok!(cuMemsetD32Async(memory, 2, 1, stream));
        ok!(cuStreamSynchronize(stream));
        ok!(cuMemsetD32Async(memory, 3, 1, blocked));
        assert_eq!(code!(cuStreamQuery(blocked)), 600);
        assert_eq!(values(memory, 1), [2]);
        gate.open();
        ok!(cuStreamSynchronize(blocked));
        assert_eq!(values(memory, 1), [3]);
        control::take_races();
    }
    schedule::stop();
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn a_function_of_the_host_may_wait_for_another_stream() {
    unsafe extern "C" fn wait(stream: *mut c_void) {
        ok!(cuStreamSynchronize(stream.cast()));
    }
    let _alone = alone();
    let context = context();
    let (first, second) = (stream(), stream());
    let memory = device_memory(&[0]);
    for seed in 0..100 {
        schedule::seed(seed);
        ok!(cuMemsetD32Async(memory, 1, 1, second));
        ok!(cuLaunchHostFunc(first, Some(wait), second.cast()));
        ok!(cuMemsetD32Async(memory, 2, 1, first));
        ok!(cuStreamSynchronize(first));
        assert_eq!(values(memory, 1), [2]);
    }
    assert_eq!(control::take_races(), []);
    schedule::stop();
    ok!(cuCtxDestroy_v2(context));
}

/// A program that orders its work in every way that there is, right.
struct Pipeline {
    streams: [CUstream; 2],
    blocking: CUstream,
    events: [CUevent; 2],
    fill: CUfunction,
    load: CUfunction,
    source: *mut u32,
    target: *mut u32,
    memory: CUdeviceptr,
    exec: CUgraphExec,
}

impl Pipeline {
    fn new() -> Self {
        let memory = device_memory(&[0; 16]);
        Self {
            streams: [stream(), stream()],
            blocking: made!(cuStreamCreate(0)),
            events: [made!(cuEventCreate(2)), made!(cuEventCreate(0))],
            fill: kernel("fill", "fill"),
            load: kernel("wild", "wild_load"),
            source: locked(4),
            target: locked(8),
            memory,
            exec: diamond(memory + 32),
        }
    }

    /// Runs it for a value; host memory is used again as soon as that is allowed.
    fn run(&self, value: u32) {
        let Self { streams: [copies, kernels], events: [up, down], memory, .. } = *self;
        // By events: up in one stream, a kernel in the other, and down in the first.
        put(self.source, 0, value);
        ok!(cuMemcpyHtoDAsync_v2(memory, self.source.cast(), 4, copies));
        ok!(cuEventRecord(up, copies));
        ok!(cuStreamWaitEvent(kernels, up, 0));
        assert_eq!(launch(self.load, kernels, &[memory, memory + 4]), 0);
        ok!(cuEventRecord(down, kernels));
        ok!(cuStreamWaitEvent(copies, down, 0));
        ok!(cuMemcpyDtoHAsync_v2(self.target.cast(), memory + 4, 4, copies));
        ok!(cuEventSynchronize(up));
        put(self.source, 0, !value);
        // In the order of a stream, from allocation to end.
        let own: CUdeviceptr = made!(cuMemAllocAsync(256, kernels));
        assert_eq!(launch_many(self.fill, 2, 32, kernels, &[64, value.into(), own]), 0);
        ok!(cuMemcpyDtoDAsync_v2(memory + 8, own + 128, 4, kernels));
        ok!(cuMemFreeAsync(own, kernels));
        // By the legacy default stream.
        ok!(cuMemsetD32Async(memory + 12, 0, 1, self.blocking));
        ok!(cuMemsetD32_v2(memory + 12, value, 1));
        ok!(cuMemcpyDtoDAsync_v2(memory + 16, memory + 12, 4, self.blocking));
        assert_eq!(values(memory + 16, 1), [value]);
        // By a wait of the host for one stream, before another.
        ok!(cuStreamSynchronize(kernels));
        ok!(cuMemcpyDtoDAsync_v2(memory + 20, memory + 8, 4, copies));
        // A graph, whose second run waits for the first.
        ok!(cuGraphLaunch(self.exec, copies));
        ok!(cuGraphLaunch(self.exec, kernels));
        ok!(cuMemcpyDtoHAsync_v2(self.target.wrapping_add(1).cast(), memory + 44, 4, kernels));
        ok!(cuCtxSynchronize());
        assert_eq!([get(self.target, 0), get(self.target, 1)], [value, 7]);
        assert_eq!(values(memory, 6), [value; 6]);
    }
}

/// A graph of two fills side by side after another, and a copy after both.
fn diamond(memory: CUdeviceptr) -> CUgraphExec {
    let (main, side) = (stream(), stream());
    let (fork, join): (CUevent, CUevent) = (made!(cuEventCreate(2)), made!(cuEventCreate(2)));
    ok!(cuStreamBeginCapture_v2(main, cuscope_sys::CUstreamCaptureMode(2)));
    ok!(cuMemsetD32Async(memory, 1, 3, main));
    ok!(cuEventRecord(fork, main));
    ok!(cuStreamWaitEvent(side, fork, 0));
    ok!(cuMemsetD32Async(memory, 5, 1, main));
    ok!(cuMemsetD32Async(memory + 8, 7, 1, side));
    ok!(cuEventRecord(join, side));
    ok!(cuStreamWaitEvent(main, join, 0));
    ok!(cuMemcpyDtoDAsync_v2(memory + 12, memory + 8, 4, main));
    // SAFETY: the driver writes the graph's handle.
    let mut graph: CUgraph = unsafe { std::mem::zeroed() };
    ok!(cuStreamEndCapture(main, &raw mut graph));
    made!(cuGraphInstantiateWithFlags(graph, 0))
}

#[test]
fn a_right_program_gives_the_right_results_in_every_order_and_has_no_race() {
    let _alone = alone();
    let context = context();
    let pipeline = Pipeline::new();
    let mut orders = HashSet::new();
    for seed in 0..1000 {
        schedule::seed(seed);
        pipeline.run(seed as u32 + 1);
        orders.insert(schedule::order());
        let races = control::take_races();
        assert!(races.is_empty(), "{seed}: {}", races[0]);
    }
    assert!(orders.len() >= 300, "{}", orders.len());
    schedule::stop();
    // And with threads again.
    pipeline.run(5);
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn threads_of_the_program_share_one_schedule() {
    let _alone = alone();
    let context = context();
    let fill = kernel("fill", "fill");
    for seed in 0..30 {
        schedule::seed(seed);
        let handles = [context.expose_provenance(), fill.expose_provenance()];
        std::thread::scope(|scope| {
            for thread in 0..4_u32 {
                scope.spawn(move || {
                    let [context, fill] = handles.map(std::ptr::with_exposed_provenance_mut::<u8>);
                    ok!(cuCtxPushCurrent_v2(context.cast()));
                    let stream = stream();
                    let memory: CUdeviceptr = made!(cuMemAllocAsync(256, stream));
                    for value in [7, thread] {
                        let arguments = [64, u64::from(value), memory];
                        assert_eq!(launch_many(fill.cast(), 2, 32, stream, &arguments), 0);
                    }
                    let mut seen = [0_u32; 64];
                    ok!(cuMemcpyDtoHAsync_v2(seen.as_mut_ptr().cast(), memory, 256, stream));
                    assert_eq!(seen, [thread; 64]);
                    ok!(cuMemFreeAsync(memory, stream));
                    ok!(cuStreamDestroy_v2(stream));
                    ok!(cuCtxPopCurrent_v2(null_mut()));
                });
            }
        });
        ok!(cuCtxSynchronize());
    }
    assert_eq!(control::take_races(), []);
    schedule::stop();
    ok!(cuCtxDestroy_v2(context));
}
