//! Questions of tests to the driver: calls of a thread, what is alive, the depth of the stack.
#![allow(unsafe_code, reason = "the driver's functions are unsafe")]

#[macro_use]
mod common;

use common::*;
use cuscope_softdriver::control::{Live, live, record, stack_depth};
use cuscope_sys::{CU_STREAM_CAPTURE_MODE_GLOBAL, CUgreenCtx};
use std::ptr::null_mut;

#[test]
fn calls_of_this_thread_are_recorded_and_those_of_others_are_not() {
    let _alone = alone();
    let context = context();
    let ((), calls) = record(|| {
        std::thread::spawn(|| ok!(cuInit(0))).join().unwrap();
        let (_, inner) = record(|| ok!(cuCtxSynchronize()));
        assert_eq!(inner, ["cuCtxSynchronize"]);
        assert_ne!(code!(cuMemAlloc_v2(null_mut(), 8)), 0);
    });
    assert_eq!(calls, ["cuCtxSynchronize", "cuMemAlloc_v2"]);
    ok!(cuCtxDestroy_v2(context));
    assert_eq!(record(|| ()).1, [""; 0]);
}

#[test]
fn live_objects_are_counted_and_end_with_their_context() {
    let _alone = alone();
    let before = live();
    assert_eq!(stack_depth(), 0);
    let context = context();
    assert_eq!(stack_depth(), 1);
    let kernel = kernel("globals", "globals");
    let (stream, event): (CUstream, CUevent) = (stream(), made!(cuEventCreate(0)));
    let memory: CUdeviceptr = made!(cuMemAlloc_v2(1000));
    let pooled: CUdeviceptr = made!(cuMemAllocAsync(24, stream));
    let host: *mut std::ffi::c_void = made!(cuMemAllocHost_v2(10));
    let graph: CUgraph = made!(cuGraphCreate(0));
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    let all = Live {
        contexts: 1,
        streams: 1,
        events: 1,
        modules: 1,
        allocations: 2,
        bytes: 1024,
        host_allocations: 1,
        graphs: 1,
        graph_execs: 1,
        ..before
    };
    assert_eq!(live(), all);
    ok!(cuMemFreeAsync(pooled, stream));
    ok!(cuMemFree_v2(memory));
    ok!(cuGraphExecDestroy(exec));
    ok!(cuGraphDestroy(graph));
    let less = Live { allocations: 0, bytes: 0, graphs: 0, graph_execs: 0, ..all };
    assert_eq!(live(), less);
    ok!(cuCtxDestroy_v2(context));
    assert_eq!((live(), stack_depth()), (before, 0));
    assert_eq!(code!(cuStreamSynchronize(stream)), 709);
    assert_eq!(code!(cuEventQuery(event)), 709);
    assert_eq!(launch(kernel, stream, &[0]), 400);
    assert_eq!(code!(cuMemFreeHost(host)), 1);
}

#[test]
fn a_capture_counts_as_nothing_until_it_has_given_a_graph() {
    let _alone = alone();
    let context = context();
    let (stream, before): (CUstream, _) = (stream(), live());
    let begin = || ok!(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    begin();
    assert_eq!(live(), before);
    let graph: CUgraph = {
        let mut graph = null_mut();
        ok!(cuStreamEndCapture(stream, &raw mut graph));
        graph
    };
    assert_eq!(live(), Live { graphs: before.graphs + 1, ..before });
    ok!(cuGraphDestroy(graph));
    // Spoiled, and with nobody to take the graph.
    begin();
    assert_eq!(code!(cuStreamSynchronize(stream)), 900);
    assert_eq!(code!(cuStreamEndCapture(stream, null_mut())), 901);
    begin();
    ok!(cuStreamEndCapture(stream, null_mut()));
    assert_eq!(live(), before);
    // Destroyed with its stream: not a trace, and allocation is not refused.
    begin();
    ok!(cuStreamDestroy_v2(stream));
    let memory: CUdeviceptr = made!(cuMemAlloc_v2(4));
    ok!(cuMemFree_v2(memory));
    assert_eq!(live(), Live { streams: before.streams - 1, ..before });
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn a_green_context_counts_and_its_memory_goes_with_the_primary_one() {
    let _alone = alone();
    ok!(cuInit(0));
    let before = live();
    let green: CUgreenCtx = made!(cuGreenCtxCreate(std::ptr::null_mut(), 1, 1));
    let context: CUcontext = made!(cuCtxFromGreenCtx(green));
    ok!(cuCtxPushCurrent_v2(context));
    let _memory: CUdeviceptr = made!(cuMemAlloc_v2(1000));
    let _stream = stream();
    let all = Live {
        green_contexts: 1,
        primary_contexts: 1,
        streams: 1,
        allocations: 1,
        bytes: 1000,
        ..before
    };
    assert_eq!(live(), all);
    let popped: CUcontext = made!(cuCtxPopCurrent_v2());
    assert_eq!(popped, context);
    ok!(cuGreenCtxDestroy(green));
    assert_eq!(live(), before);
}

#[test]
fn a_primary_context_counts_while_it_is_retained() {
    let _alone = alone();
    ok!(cuInit(0));
    let primary: CUcontext = made!(cuDevicePrimaryCtxRetain(1));
    assert_eq!(live().primary_contexts, 1);
    ok!(cuCtxPushCurrent_v2(primary));
    let stream = stream();
    let memory = device_memory(&[7]);
    let id: u64 = {
        let mut id = 0;
        ok!(cuCtxGetId(primary, &raw mut id));
        id
    };
    ok!(cuDevicePrimaryCtxRelease_v2(1));
    assert_eq!((live().primary_contexts, live().streams, live().allocations), (0, 0, 0));
    assert_eq!(code!(cuCtxSynchronize()), 709);
    assert_eq!(code!(cuDevicePrimaryCtxRelease_v2(1)), 201);
    // F18: alive again under the same handle; what was in it is not.
    assert_eq!(primary, made!(cuDevicePrimaryCtxRetain(1)));
    ok!(cuCtxSynchronize());
    assert_eq!(code!(cuStreamQuery(stream)), 709);
    assert_eq!(code!(cuMemFree_v2(memory)), 1);
    let mut again = 0;
    ok!(cuCtxGetId(primary, &raw mut again));
    assert_ne!(again, id);
    ok!(cuDevicePrimaryCtxReset_v2(1));
    assert_eq!(code!(cuCtxSynchronize()), 709);
    ok!(cuDevicePrimaryCtxRelease_v2(1));
    assert_eq!(code!(cuDevicePrimaryCtxRelease_v2(1)), 201);
    ok!(cuCtxSetCurrent(null_mut()));
}

#[test]
fn a_destroyed_stream_finishes_its_work_and_its_handle_is_used_again() {
    let _alone = alone();
    let context = context();
    let memory = device_memory(&[0]);
    let old = stream();
    let gate = Gate::new(old);
    ok!(cuMemsetD32Async(memory, 9, 1, old));
    ok!(cuStreamDestroy_v2(old));
    assert_eq!(code!(cuStreamQuery(old)), 709);
    let new = stream();
    assert_eq!(new, old); // F105
    ok!(cuStreamQuery(new));
    assert_eq!(values(memory, 1), [0]);
    gate.open();
    ok!(cuCtxSynchronize());
    assert_eq!(values(memory, 1), [9]);
    ok!(cuCtxDestroy_v2(context));
}
