//! Captures: how they begin, what draws streams and events in, how they end, and what they tell: F106, F144 to F148.
//!
//! A capture in GLOBAL mode concerns every thread, so that each test has a process of its own.

use crate::fresh;
use crate::raw::captures::*;
use crate::raw::*;
use cuscope::ffi::*;
use std::ptr::{null, null_mut};

/// F106
#[test]
fn an_event_of_a_capture_draws_the_stream_in_that_waits_for_it() {
    fresh!(an_event_of_a_capture_draws_the_stream_in_that_waits_for_it, {
        let (b, a) = (Place::new(), place());
        let (stream, event, store) =
            (free_stream(), made!(cuEventCreate(0)), a.kernel(c"store_value"));
        let word = |i: u64| a.memory + 4 * i;
        begin(stream, GLOBAL);
        assert_eq!(launch(store, stream, &[word(0), 1]), SUCCESS);
        ok!(cuEventRecord(a.event, stream));
        assert_eq!(status(a.stream), NONE);
        ok!(cuStreamWaitEvent(a.stream, a.event, 0));
        assert_eq!(status(a.stream), ACTIVE);
        assert_eq!(launch(store, a.stream, &[word(1), 2]), SUCCESS);
        assert_eq!(launch(store, stream, &[word(2), 3]), SUCCESS);
        ok!(cuEventRecord(event, a.stream));
        ok!(cuStreamWaitEvent(stream, event, 0));
        assert_eq!(launch(store, stream, &[word(3), 4]), SUCCESS);
        let graph = end(stream);
        assert_eq!(status(a.stream), NONE);
        assert_eq!(kinds(graph), [CU_GRAPH_NODE_TYPE_KERNEL; 4]);
        assert_eq!(edges(graph), [(0, 1), (0, 2), (1, 3), (2, 3)]);
        assert_eq!(a.value(), 0);
        replay(instantiate(graph), a.stream);
        let mut words = [0_u32; 4];
        ok!(cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), a.memory, 16));
        assert_eq!(words, [1, 2, 3, 4]);

        // Of another context too. Waiting for it is as for the first one.
        for joined in [a.stream, b.stream] {
            begin(stream, RELAXED);
            ok!(cuEventRecord(a.event, stream));
            ok!(cuStreamWaitEvent(joined, a.event, 0));
            assert_eq!(code!(cuStreamBeginCapture_v2(joined, RELAXED)), ILLEGAL_STATE);
            assert_eq!(status(stream), ACTIVE);
            assert_eq!(code!(cuStreamSynchronize(joined)), UNSUPPORTED);
            assert_eq!((status(stream), status(joined)), (INVALID, INVALID));
            assert_eq!(bad_end(stream), INVALIDATED);
            assert_eq!(status(joined), NONE);
        }
        a.destroy();
        b.destroy();
    });
}

/// F144
#[test]
fn an_event_of_a_capture_is_no_event_for_anything_else() {
    fresh!(an_event_of_a_capture_is_no_event_for_anything_else, {
        let place = place();
        let (stream, event, never) = (free_stream(), place.event, made!(cuEventCreate(0)));
        let mut elapsed = 0.0;
        for relaxed in [true, false] {
            let mode = if relaxed { RELAXED } else { GLOBAL };
            for query in [true, false] {
                begin(stream, mode);
                ok!(cuEventRecord(event, stream));
                let captured = CUDA_ERROR_CAPTURED_EVENT;
                assert_eq!(code!(cuEventElapsedTime(&raw mut elapsed, event, event)), captured);
                assert_eq!(status(stream), ACTIVE);
                let ask = || match query {
                    true => code!(cuEventQuery(event)),
                    false => code!(cuEventSynchronize(event)),
                };
                assert_eq!(ask(), captured);
                assert_eq!(status(stream), INVALID);
                // The capture being no more, nor is the event, until it is recorded again.
                assert_eq!(ask(), INVALID_VALUE);
                assert_eq!(code!(cuStreamWaitEvent(place.stream, event, 0)), INVALID_VALUE);
                assert_eq!(bad_end(stream), INVALIDATED);
                assert_eq!(ask(), INVALID_VALUE);
                ok!(cuEventRecord(event, place.stream));
                ok!(cuEventSynchronize(event));
            }
        }
        // A capture waits for events of its own, and for those never recorded, which are nothing.
        let isolated = CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
        begin(stream, RELAXED);
        ok!(cuStreamWaitEvent(stream, never, 0));
        assert_eq!(status(stream), ACTIVE);
        assert_eq!(code!(cuStreamWaitEvent(stream, event, 0)), isolated);
        assert_eq!(bad_end(stream), INVALIDATED);
        // Two captures are not merged; the legacy stream is not drawn in.
        begin(stream, RELAXED);
        begin(place.stream, RELAXED);
        ok!(cuEventRecord(event, stream));
        let merge = CUDA_ERROR_STREAM_CAPTURE_MERGE;
        assert_eq!(code!(cuStreamWaitEvent(place.stream, event, 0)), merge);
        assert_eq!((bad_end(stream), bad_end(place.stream)), (INVALIDATED, INVALIDATED));
        begin(stream, RELAXED);
        ok!(cuEventRecord(event, stream));
        assert_eq!(code!(cuStreamWaitEvent(LEGACY, event, 0)), IMPLICIT);
        assert_eq!(bad_end(stream), INVALIDATED);
        // As an external one, an event of outside is a node.
        ok!(cuEventRecord(event, place.stream));
        assert_eq!(code!(cuStreamWaitEvent(place.stream, event, 1)), ILLEGAL_STATE);
        begin(stream, GLOBAL);
        ok!(cuStreamWaitEvent(stream, event, 1));
        let graph = end(stream);
        assert_eq!(kinds(graph), [CU_GRAPH_NODE_TYPE_WAIT_EVENT]);
        replay(instantiate(graph), stream);
        place.destroy();
    });
}

/// F621
#[test]
fn an_event_that_is_recorded_as_an_external_one_is_a_node() {
    fresh!(an_event_that_is_recorded_as_an_external_one_is_a_node, {
        let place = place();
        let (stream, event) = (free_stream(), place.event);
        let mut elapsed = 0.0;
        for mode in MODES {
            ok!(cuEventRecord(event, place.stream));
            ok!(cuEventSynchronize(event));
            begin(stream, mode);
            ok!(cuEventRecordWithFlags(event, stream, 1));
            ok!(cuStreamWaitEvent(stream, event, 1));
            // The event is as it was before, for everything outside.
            ok!(cuEventElapsedTime(&raw mut elapsed, event, event));
            ok!(cuStreamWaitEvent(place.stream, event, 0));
            assert_eq!(status(stream), ACTIVE);
            let graph = end(stream);
            assert_eq!(
                kinds(graph),
                [CU_GRAPH_NODE_TYPE_EVENT_RECORD, CU_GRAPH_NODE_TYPE_WAIT_EVENT]
            );
            assert_eq!(edges(graph), [(0, 1)]);
            // Each launch records it.
            let (exec, fresh) = (instantiate(graph), made!(cuEventCreate(0)));
            ok!(cuGraphExecEventRecordNodeSetEvent(exec, nodes(graph)[0], fresh));
            assert_eq!(code!(cuEventElapsedTime(&raw mut elapsed, fresh, fresh)), INVALID_HANDLE);
            replay(exec, stream);
            ok!(cuEventElapsedTime(&raw mut elapsed, fresh, fresh));
        }
        place.destroy();
    });
}

/// F145
#[test]
fn a_capture_ends_on_its_stream_and_thread_with_all_streams_joined() {
    fresh!(a_capture_ends_on_its_stream_and_thread_with_all_streams_joined, {
        let place = place();
        let (stream, joined, nothing) = (free_stream(), free_stream(), place.kernel(c"nothing"));
        let other = Other::new();
        assert_eq!(bad_end(stream), ILLEGAL_STATE);
        for mode in MODES {
            begin(stream, mode);
            let wrong = CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
            assert_eq!(other.end(stream), if mode == RELAXED { SUCCESS } else { wrong });
            // Over in either case.
            assert_eq!(bad_end(stream), ILLEGAL_STATE);
            begin(stream, mode);
            assert_eq!(bad_end(joined), ILLEGAL_STATE);
            assert_eq!(status(stream), ACTIVE);
            ok!(cuStreamEndCapture(stream, null_mut()));
            assert_eq!(status(stream), NONE);
        }
        // Work on a stream that joined, with or without an event that nobody waits for.
        for record in [false, true] {
            begin(stream, GLOBAL);
            ok!(cuEventRecord(place.event, stream));
            ok!(cuStreamWaitEvent(joined, place.event, 0));
            assert_eq!(launch(nothing, joined, &[]), SUCCESS);
            if record {
                ok!(cuEventRecord(place.event, joined));
            }
            assert_eq!(bad_end(stream), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
            assert_eq!((status(stream), status(joined)), (NONE, NONE));
        }
        // Destroying it does not help; without work there is nothing to join.
        let doomed = free_stream();
        begin(stream, GLOBAL);
        ok!(cuEventRecord(place.event, stream));
        ok!(cuStreamWaitEvent(joined, place.event, 0));
        ok!(cuStreamWaitEvent(doomed, place.event, 0));
        assert_eq!(launch(nothing, doomed, &[]), SUCCESS);
        ok!(cuStreamDestroy_v2(doomed));
        assert_eq!(bad_end(stream), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
        begin(stream, GLOBAL);
        ok!(cuEventRecord(place.event, stream));
        ok!(cuStreamWaitEvent(joined, place.event, 0));
        ok!(cuGraphDestroy(end(stream)));
        // The end on a stream that joined.
        begin(stream, GLOBAL);
        ok!(cuEventRecord(place.event, stream));
        ok!(cuStreamWaitEvent(joined, place.event, 0));
        assert_eq!(bad_end(joined), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
        assert_eq!(bad_end(stream), INVALIDATED);
        // The stream that it began on, or its context, is destroyed: as if it never was.
        begin(stream, GLOBAL);
        ok!(cuEventRecord(place.event, stream));
        ok!(cuStreamWaitEvent(joined, place.event, 0));
        ok!(cuStreamDestroy_v2(stream));
        assert_eq!(status(joined), NONE);
        assert_allocates();
        let b = Place::new();
        begin(b.stream, GLOBAL);
        b.destroy();
        assert_allocates();
        place.destroy();
    });
}

/// F146
#[test]
fn bad_arguments_leave_a_capture_be_but_for_a_bad_shape_and_a_bad_event() {
    fresh!(bad_arguments_leave_a_capture_be_but_for_a_bad_shape_and_a_bad_event, {
        let (b, a) = (Place::new(), place());
        let (stream, nothing, store) =
            (free_stream(), a.kernel(c"nothing"), a.kernel(c"store_value"));
        begin(stream, GLOBAL);
        each_gives!(INVALID_VALUE; {
            cuMemcpyHtoDAsync_v2(16, a.host, 4, stream);
            cuMemcpyDtoHAsync_v2(a.host, 16, 4, stream);
            cuMemcpyDtoDAsync_v2(a.memory, 16, 4, stream);
            cuMemcpyHtoDAsync_v2(a.memory, null(), 4, stream);
            cuMemsetD32Async(a.memory + 1, 1, 1, stream);
            cuMemFreeAsync(a.memory, stream);
            cuStreamWaitEvent(stream, a.event, 2);
            cuLaunchHostFunc(stream, None, null_mut());
            cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, stream, null_mut(), null_mut());
        });
        assert_eq!(launch(b.kernel(c"nothing"), stream, &[]), INVALID_HANDLE);
        assert_eq!(code!(cuEventRecord(b.event, stream)), INVALID_HANDLE);
        assert_eq!(status(stream), ACTIVE);
        // A fill of no memory is only noticed when the graph is instantiated.
        ok!(cuMemsetD8Async(16, 1, 4, stream));
        let graph = end(stream);
        assert_eq!(kinds(graph), [CU_GRAPH_NODE_TYPE_MEMSET]);
        let mut exec = null_mut();
        assert_eq!(code!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0)), INVALID_VALUE);

        begin(stream, GLOBAL);
        assert_eq!(launch_shaped(nothing, [0, 1, 1], [1; 3], 0, stream, &[]), INVALID_VALUE);
        assert_eq!(bad_end(stream), INVALIDATED);
        begin(stream, GLOBAL);
        assert_eq!(code!(cuStreamWaitEvent(stream, null_mut(), 0)), INVALID_HANDLE);
        assert_eq!(bad_end(stream), INVALIDATED);
        a.destroy();
        b.destroy();
    });
}

/// F147
#[test]
fn a_capture_tells_its_id_its_graph_and_its_ends() {
    fresh!(a_capture_tells_its_id_its_graph_and_its_ends, {
        let place = place();
        let (stream, nothing) = (free_stream(), place.kernel(c"nothing"));
        let info = || {
            let (mut status, mut id, mut graph, mut count) = (INVALID, 99, null_mut(), 99);
            let mut ends: *const CUgraphNode = null();
            let out = (&raw mut status, &raw mut id, &raw mut graph, &raw mut ends, &raw mut count);
            ok!(cuStreamGetCaptureInfo_v2(stream, out.0, out.1, out.2, out.3, out.4));
            // SAFETY: where there are ends, the pointer is to them until the next call.
            let end = if ends.is_null() { null_mut() } else { unsafe { ends.read() } };
            (status, id, graph, end, count)
        };
        assert_eq!(info(), (NONE, 99, null_mut(), null_mut(), 99));
        begin(stream, GLOBAL);
        let (active, first, graph, end_node, count) = info();
        assert_eq!((active, end_node, count), (ACTIVE, null_mut(), 0));
        assert_eq!(launch(nothing, stream, &[]), SUCCESS);
        assert_eq!(info(), (ACTIVE, first, graph, nodes(graph)[0], 1));
        // The graph is the capture's: more can be added, but it cannot be destroyed.
        let _empty: CUgraphNode = made!(cuGraphAddEmptyNode(graph, null(), 0));
        assert_eq!(code!(cuGraphDestroy(graph)), ILLEGAL_STATE);
        assert_eq!(end(stream), graph);
        assert_eq!(nodes(graph).len(), 2);
        ok!(cuGraphDestroy(graph));
        begin(stream, GLOBAL);
        let (_, second, ..) = info();
        assert_eq!(second, first + 1);
        assert_eq!(code!(cuStreamQuery(stream)), UNSUPPORTED);
        assert_eq!(info(), (INVALID, 99, null_mut(), null_mut(), 99));
        assert_eq!(bad_end(stream), INVALIDATED);
        let status = null_mut();
        assert_eq!(code!(cuStreamIsCapturing(stream, status)), INVALID_VALUE);
        place.destroy();
    });
}

/// F148
#[test]
fn a_capture_begins_on_any_stream_but_the_legacy_one() {
    fresh!(a_capture_begins_on_any_stream_but_the_legacy_one, {
        let place = place();
        let (stream, store) = (free_stream(), place.kernel(c"store_value"));
        for mode in MODES {
            assert_eq!(code!(cuStreamBeginCapture_v2(LEGACY, mode)), UNSUPPORTED);
            assert_eq!(code!(cuStreamBeginCapture_v2(CU_STREAM_LEGACY, mode)), UNSUPPORTED);
            begin(stream, mode);
            assert_eq!(code!(cuStreamBeginCapture_v2(stream, mode)), ILLEGAL_STATE);
            // Nothing was captured, and that is a graph.
            let graph = end(stream);
            assert_eq!(nodes(graph), []);
            replay(instantiate(graph), stream);
        }
        for mode in [3, 99] {
            let code = code!(cuStreamBeginCapture_v2(stream, CUstreamCaptureMode(mode)));
            assert_eq!(code, INVALID_VALUE);
        }
        // With work before it, which goes on; from other threads' calls too.
        let gate = Gate::new(place.module, stream);
        let other = Other::new();
        other.begin(stream, THREAD_LOCAL);
        assert_eq!(launch(store, stream, &[place.memory, 5]), SUCCESS);
        assert_eq!(other.end(stream), SUCCESS);
        assert_eq!(code!(cuStreamQuery(stream)), NOT_READY);
        gate.open();
        ok!(cuStreamSynchronize(stream));
        assert_eq!(place.value(), 0);
        // Without a context current, a stream says what there is.
        assert_eq!(pop(), place.context);
        begin(stream, GLOBAL);
        let mut memory = 0;
        assert_eq!(code!(cuMemAlloc_v2(&raw mut memory, 64)), INVALID_CONTEXT);
        assert_eq!(code!(cuCtxSynchronize()), INVALID_CONTEXT);
        assert_eq!(code!(cuStreamBeginCapture_v2(LEGACY, GLOBAL)), INVALID_CONTEXT);
        assert_eq!(status(stream), ACTIVE);
        assert_eq!(launch(store, stream, &[place.memory, 5]), SUCCESS);
        assert_eq!(nodes(end(stream)).len(), 1);
        place.destroy();
    });
}
