//! Captures: what they refuse, what becomes of work, and how they end: F71, F94, F100 to F106, and from
//! F140 on.
//!
//! A capture in GLOBAL mode concerns every thread, so that each test has a process of its own.

use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Instant;

/// What a capture refuses.
const UNSUPPORTED: CUresult = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
/// What becomes of a capture by that.
const INVALIDATED: CUresult = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
/// For the legacy stream, while a blocking one is under capture.
const IMPLICIT: CUresult = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
const ILLEGAL_STATE: CUresult = CUDA_ERROR_ILLEGAL_STATE;

const GLOBAL: CUstreamCaptureMode = CU_STREAM_CAPTURE_MODE_GLOBAL;
const THREAD_LOCAL: CUstreamCaptureMode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
const RELAXED: CUstreamCaptureMode = CU_STREAM_CAPTURE_MODE_RELAXED;
const MODES: [CUstreamCaptureMode; 3] = [GLOBAL, THREAD_LOCAL, RELAXED];

const NONE: CUstreamCaptureStatus = CU_STREAM_CAPTURE_STATUS_NONE;
const ACTIVE: CUstreamCaptureStatus = CU_STREAM_CAPTURE_STATUS_ACTIVE;
const INVALID: CUstreamCaptureStatus = CU_STREAM_CAPTURE_STATUS_INVALIDATED;

/// The legacy default stream.
const LEGACY: CUstream = null_mut();

/// A context, current; `memory` is zeros.
fn place() -> Place {
    let place = Place::new();
    ok!(cuCtxPushCurrent_v2(place.context));
    place
}

/// A stream that the legacy one does not wait for.
fn free_stream() -> CUstream {
    made!(cuStreamCreate(CUstream_flags::CU_STREAM_NON_BLOCKING.bits()))
}

/// A stream that the legacy one waits for.
fn blocking_stream() -> CUstream {
    made!(cuStreamCreate(0))
}

fn begin(stream: CUstream, mode: CUstreamCaptureMode) {
    ok!(cuStreamBeginCapture_v2(stream, mode));
}

/// Allocation is allowed.
fn assert_allocates() {
    let memory = made!(cuMemAlloc_v2(64));
    ok!(cuMemFree_v2(memory));
}

/// The graph of a capture that ends well.
fn end(stream: CUstream) -> CUgraph {
    let mut graph = null_mut();
    ok!(cuStreamEndCapture(stream, &raw mut graph));
    assert!(!graph.is_null());
    graph
}

/// The code of an end that gives no graph.
fn bad_end(stream: CUstream) -> CUresult {
    let mut graph = null_mut::<u8>().wrapping_add(16).cast();
    let code = code!(cuStreamEndCapture(stream, &raw mut graph));
    assert!(graph.is_null());
    code
}

fn status(stream: CUstream) -> CUstreamCaptureStatus {
    let mut status = INVALID;
    ok!(cuStreamIsCapturing(stream, &raw mut status));
    status
}

/// Runs `f` with the calling thread in a capture mode.
fn in_mode<R>(mode: CUstreamCaptureMode, f: impl FnOnce() -> R) -> R {
    let mut swapped = mode;
    ok!(cuThreadExchangeStreamCaptureMode(&raw mut swapped));
    let result = f();
    ok!(cuThreadExchangeStreamCaptureMode(&raw mut swapped));
    assert_eq!(swapped, mode);
    result
}

fn nodes(graph: CUgraph) -> Vec<CUgraphNode> {
    let mut count = 0;
    ok!(cuGraphGetNodes(graph, null_mut(), &raw mut count));
    let mut nodes = vec![null_mut(); count];
    if count > 0 {
        ok!(cuGraphGetNodes(graph, nodes.as_mut_ptr(), &raw mut count));
    }
    nodes
}

fn kinds(graph: CUgraph) -> Vec<CUgraphNodeType> {
    let kind = |node| {
        let mut kind = CUgraphNodeType(99);
        ok!(cuGraphNodeGetType(node, &raw mut kind));
        kind
    };
    nodes(graph).into_iter().map(kind).collect()
}

/// The edges, by the places of their ends among the nodes.
fn edges(graph: CUgraph) -> Vec<(usize, usize)> {
    let mut count = 0;
    ok!(cuGraphGetEdges(graph, null_mut(), null_mut(), &raw mut count));
    let (mut from, mut to) = (vec![null_mut(); count], vec![null_mut(); count]);
    if count > 0 {
        ok!(cuGraphGetEdges(graph, from.as_mut_ptr(), to.as_mut_ptr(), &raw mut count));
    }
    let nodes = nodes(graph);
    let place = |node| nodes.iter().position(|&one| one == node).expect("a node of the graph");
    let mut edges: Vec<_> =
        from.into_iter().zip(to).map(|(from, to)| (place(from), place(to))).collect();
    edges.sort_unstable();
    edges
}

fn instantiate(graph: CUgraph) -> CUgraphExec {
    made!(cuGraphInstantiateWithFlags(graph, 0))
}

/// Runs a graph to its end.
fn replay(exec: CUgraphExec, stream: CUstream) {
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuStreamSynchronize(stream));
}

/// A thread that calls when it is told.
struct Other {
    jobs: Sender<Box<dyn FnOnce() + Send>>,
}

impl Other {
    /// Starts one, with the calling thread's context current.
    fn new() -> Self {
        let (jobs, received): (_, Receiver<Box<dyn FnOnce() + Send>>) = channel();
        let context = Sent::new(current());
        thread::spawn(move || {
            ok!(cuCtxPushCurrent_v2(context.take()));
            received.into_iter().for_each(|job| job());
        });
        Self { jobs }
    }

    /// What `f` gives there for a stream.
    fn with(
        &self,
        stream: CUstream,
        f: impl FnOnce(CUstream) -> CUresult + Send + 'static,
    ) -> CUresult {
        let (send, result) = channel();
        let stream = Sent::new(stream);
        let job = move || send.send(f(stream.take()).0).expect("the test waits");
        self.jobs.send(Box::new(job)).expect("the thread waits");
        CUresult(result.recv().expect("the job ends"))
    }

    fn begin(&self, stream: CUstream, mode: CUstreamCaptureMode) {
        assert_eq!(
            self.with(stream, move |stream| code!(cuStreamBeginCapture_v2(stream, mode))),
            SUCCESS
        );
    }

    fn end(&self, stream: CUstream) -> CUresult {
        self.with(stream, |stream| {
            let mut graph = null_mut();
            let code = code!(cuStreamEndCapture(stream, &raw mut graph));
            assert_eq!(graph.is_null(), code != SUCCESS);
            code
        })
    }
}

/// Calls that a capture refuses to some: each is prepared, made, and put right again.
struct Unsafe {
    name: &'static str,
    prepare: fn(&Place) -> u64,
    call: fn(&Place, &mut u64) -> CUresult,
    /// Also told whether the call was refused; what it would have made is 0 then.
    clean: fn(u64, bool),
}

/// A handle from the number that a call has.
fn handle<T>(value: u64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(value as usize)
}

fn number<T>(handle: *mut T) -> u64 {
    handle.expose_provenance() as u64
}

const UNSAFE: &[Unsafe] = &[
    Unsafe {
        name: "cuMemAlloc",
        prepare: |_| 0,
        call: |_, memory| code!(cuMemAlloc_v2(memory, 64)),
        clean: |memory, _| ok!(cuMemFree_v2(memory)),
    },
    Unsafe {
        name: "cuMemFree",
        prepare: |_| made!(cuMemAlloc_v2(64)),
        call: |_, memory| code!(cuMemFree_v2(*memory)),
        clean: |memory, refused| {
            if refused {
                ok!(cuMemFree_v2(memory))
            }
        },
    },
    Unsafe {
        name: "cuMemFree of nothing",
        prepare: |_| 0,
        call: |_, _| code!(cuMemFree_v2(0)),
        clean: |_, _| {},
    },
    Unsafe {
        name: "cuMemAllocAsync",
        prepare: |_| 0,
        call: |place, memory| code!(cuMemAllocAsync(memory, 64, place.stream)),
        clean: |memory, _| ok!(cuMemFree_v2(memory)),
    },
    Unsafe {
        name: "cuMemFreeAsync",
        prepare: |place| {
            let memory = made!(cuMemAllocAsync(64, place.stream));
            ok!(cuStreamSynchronize(place.stream));
            memory
        },
        call: |place, memory| code!(cuMemFreeAsync(*memory, place.stream)),
        clean: |memory, refused| {
            if refused {
                ok!(cuMemFree_v2(memory))
            }
        },
    },
    Unsafe {
        name: "cuMemAllocHost",
        prepare: |_| 0,
        call: |_, memory| {
            let mut host = null_mut();
            let code = code!(cuMemAllocHost_v2(&raw mut host, 64));
            *memory = number(host);
            code
        },
        clean: |memory, _| ok!(cuMemFreeHost(handle(memory))),
    },
    Unsafe {
        name: "cuMemFreeHost",
        prepare: |_| {
            let host: *mut c_void = made!(cuMemAllocHost_v2(64));
            number(host)
        },
        call: |_, memory| code!(cuMemFreeHost(handle(*memory))),
        clean: |memory, refused| {
            if refused {
                ok!(cuMemFreeHost(handle(memory)))
            }
        },
    },
    Unsafe {
        name: "cuModuleUnload",
        prepare: |_| number(load_kernels()),
        call: |_, module| code!(cuModuleUnload(handle(*module))),
        clean: |module, refused| {
            if refused {
                ok!(cuModuleUnload(handle(module)))
            }
        },
    },
    Unsafe {
        name: "cuStreamSynchronize of another",
        prepare: |_| 0,
        call: |place, _| code!(cuStreamSynchronize(place.stream)),
        clean: |_, _| {},
    },
    Unsafe {
        name: "cuStreamQuery of another",
        prepare: |_| 0,
        call: |place, _| code!(cuStreamQuery(place.stream)),
        clean: |_, _| {},
    },
    Unsafe {
        name: "cuEventSynchronize",
        prepare: |_| 0,
        call: |place, _| code!(cuEventSynchronize(place.event)),
        clean: |_, _| {},
    },
    Unsafe {
        name: "cuEventQuery",
        prepare: |_| 0,
        call: |place, _| code!(cuEventQuery(place.event)),
        clean: |_, _| {},
    },
    Unsafe {
        name: "cuGraphInstantiateWithFlags",
        prepare: |_| 0,
        call: |_, exec| {
            let graph = made!(cuGraphCreate(0));
            let mut made = null_mut();
            let code = code!(cuGraphInstantiateWithFlags(&raw mut made, graph, 0));
            *exec = number(made);
            ok!(cuGraphDestroy(graph));
            code
        },
        clean: |exec, refused| {
            if !refused {
                ok!(cuGraphExecDestroy(handle(exec)))
            }
        },
    },
    Unsafe {
        name: "cuGraphExecDestroy",
        prepare: |_| {
            let graph = made!(cuGraphCreate(0));
            let exec = instantiate(graph);
            ok!(cuGraphDestroy(graph));
            number(exec)
        },
        call: |_, exec| code!(cuGraphExecDestroy(handle(*exec))),
        clean: |exec, refused| {
            if refused {
                ok!(cuGraphExecDestroy(handle(exec)))
            }
        },
    },
];

/// A mode that the driver does not know, and takes.
const UNKNOWN: CUstreamCaptureMode = CUstreamCaptureMode(99);

/// Whether a capture of one's own, or of another thread, refuses a call in a mode of the caller.
fn refused(capture: CUstreamCaptureMode, own: bool, caller: CUstreamCaptureMode) -> bool {
    match caller {
        RELAXED => false,
        THREAD_LOCAL => own && capture != RELAXED,
        _ if own => capture != RELAXED,
        _ => capture == GLOBAL,
    }
}

/// F71, F100, F101, F140, F141
#[test]
fn what_is_unsafe_is_refused_by_the_modes_of_capture_and_caller() {
    fresh!(what_is_unsafe_is_refused_by_the_modes_of_capture_and_caller, {
        let place = place();
        let (stream, other) = (blocking_stream(), Other::new());
        for one in UNSAFE {
            for (mode, caller) in
                MODES.into_iter().flat_map(|mode| MODES.map(|caller| (mode, caller)))
            {
                for own in [true, false] {
                    let what = (one.name, mode, own, caller);
                    let mut value = (one.prepare)(&place);
                    if own {
                        begin(stream, mode)
                    } else {
                        other.begin(stream, mode)
                    }
                    let code = in_mode(caller, || (one.call)(&place, &mut value));
                    let refused = refused(mode, own, caller);
                    assert_eq!(code, if refused { UNSUPPORTED } else { SUCCESS }, "{what:?}");
                    assert_eq!(status(stream), if refused { INVALID } else { ACTIVE }, "{what:?}");
                    let ended = match own {
                        true => code!(cuStreamEndCapture(stream, null_mut())),
                        false => other.end(stream),
                    };
                    assert_eq!(ended, if refused { INVALIDATED } else { SUCCESS }, "{what:?}");
                    (one.clean)(value, refused);
                }
            }
        }
        place.destroy();
    });
}

/// F140
#[test]
fn only_the_captures_that_refuse_are_invalidated_and_they_go_on_refusing() {
    fresh!(only_the_captures_that_refuse_are_invalidated_and_they_go_on_refusing, {
        let place = place();
        let (mine, others, relaxed) = (free_stream(), free_stream(), free_stream());
        let other = Other::new();
        for (theirs, caller, mine_hit, theirs_hit) in [
            (GLOBAL, GLOBAL, INVALID, INVALID),
            (THREAD_LOCAL, GLOBAL, INVALID, ACTIVE),
            (GLOBAL, THREAD_LOCAL, INVALID, ACTIVE),
        ] {
            begin(mine, THREAD_LOCAL);
            begin(relaxed, RELAXED);
            other.begin(others, theirs);
            let mut memory = 0;
            for _ in 0..2 {
                in_mode(caller, || {
                    assert_eq!(code!(cuMemAlloc_v2(&raw mut memory, 64)), UNSUPPORTED)
                });
            }
            assert_eq!(
                (status(mine), status(others), status(relaxed)),
                (mine_hit, theirs_hit, ACTIVE)
            );
            assert_eq!(bad_end(mine), INVALIDATED);
            let ended = if theirs_hit == INVALID { INVALIDATED } else { SUCCESS };
            assert_eq!(other.end(others), ended);
            ok!(cuGraphDestroy(end(relaxed)));
            assert_allocates();
        }
        // An unknown mode of the caller is as THREAD_LOCAL.
        other.begin(others, GLOBAL);
        in_mode(UNKNOWN, assert_allocates);
        assert_eq!(other.end(others), SUCCESS);
        begin(mine, GLOBAL);
        let mut memory = 0;
        in_mode(UNKNOWN, || assert_eq!(code!(cuMemAlloc_v2(&raw mut memory, 64)), UNSUPPORTED));
        assert_eq!(bad_end(mine), INVALIDATED);
        place.destroy();
    });
}

/// F101, F141
#[test]
fn what_is_no_danger_is_allowed_in_every_mode() {
    fresh!(what_is_no_danger_is_allowed_in_every_mode, {
        let place = place();
        let (stream, device) = (free_stream(), device());
        for mode in MODES {
            begin(stream, mode);
            let module = load_kernels();
            let (other, event): (CUstream, CUevent) =
                (made!(cuStreamCreate(0)), made!(cuEventCreate(0)));
            ok!(cuEventRecord(event, other));
            ok!(cuStreamDestroy_v2(other));
            ok!(cuEventDestroy_v2(event));
            let context: CUcontext = made!(cuCtxCreate_v2(0, device));
            ok!(cuCtxDestroy_v2(context));
            let _primary: CUcontext = made!(cuDevicePrimaryCtxRetain(device));
            ok!(cuDevicePrimaryCtxRelease_v2(device));
            let (mut free, mut total) = (0, 0);
            ok!(cuMemGetInfo_v2(&raw mut free, &raw mut total));
            // On the legacy stream too, which has nothing to do with a stream that is non-blocking.
            ok!(cuMemsetD8_v2(place.memory, 1, 4));
            ok!(cuMemcpyDtoH_v2(place.host, place.memory, 4));
            assert_eq!(launch(kernel(module, c"nothing"), LEGACY, &[]), SUCCESS);
            let graph: CUgraph = made!(cuGraphCreate(0));
            ok!(cuGraphDestroy(graph));
            assert_eq!(status(stream), ACTIVE);
            ok!(cuGraphDestroy(end(stream)));
            ok!(cuModuleUnload(module));
        }
        place.destroy();
    });
}

/// F100
#[test]
fn a_refused_wait_leaves_the_work_running_and_a_relaxed_one_waits() {
    fresh!(a_refused_wait_leaves_the_work_running_and_a_relaxed_one_waits, {
        let place = place();
        let (stream, other, spin) = (free_stream(), Other::new(), place.kernel(c"spin"));
        for relaxed in [false, true] {
            other.begin(stream, GLOBAL);
            assert_eq!(launch(spin, place.stream, &[LONG_NANOSECONDS]), SUCCESS);
            ok!(cuEventRecord(place.event, place.stream));
            let start = Instant::now();
            if relaxed {
                in_mode(RELAXED, || {
                    ok!(cuEventSynchronize(place.event));
                    ok!(cuStreamSynchronize(place.stream));
                });
                assert!(start.elapsed() >= LONG * 9 / 10);
            } else {
                each_gives!(UNSUPPORTED; {
                    cuEventSynchronize(place.event);
                    cuStreamSynchronize(place.stream);
                });
                in_mode(RELAXED, || assert_eq!(code!(cuStreamQuery(place.stream)), NOT_READY));
            }
            assert_eq!(other.end(stream), if relaxed { SUCCESS } else { INVALIDATED });
            ok!(cuStreamSynchronize(place.stream));
        }
        place.destroy();
    });
}

/// F71, F103, F142
#[test]
fn the_stream_under_capture_is_neither_waited_for_nor_asked() {
    fresh!(the_stream_under_capture_is_neither_waited_for_nor_asked, {
        let place = place();
        let (stream, nothing) = (free_stream(), place.kernel(c"nothing"));
        let graph = made!(cuGraphCreate(0));
        let exec = instantiate(graph);
        let mut flags = 0;
        let calls: [&mut dyn FnMut() -> CUresult; 4] = [
            &mut || code!(cuStreamSynchronize(stream)),
            &mut || code!(cuStreamQuery(stream)),
            &mut || code!(cuStreamGetFlags(stream, &raw mut flags)),
            &mut || code!(cuGraphLaunch(exec, stream)),
        ];
        for call in calls {
            for (mode, caller) in
                MODES.into_iter().flat_map(|mode| MODES.map(|caller| (mode, caller)))
            {
                begin(stream, mode);
                let context: CUcontext = {
                    let mut context = null_mut();
                    ok!(cuStreamGetCtx(stream, &raw mut context));
                    context
                };
                assert_eq!(context, place.context);
                in_mode(caller, || {
                    assert_eq!(call(), UNSUPPORTED);
                    assert_eq!(call(), UNSUPPORTED);
                });
                assert_eq!(status(stream), INVALID);
                // Work is not taken any more.
                assert_eq!(launch(nothing, stream, &[]), INVALIDATED);
                each_gives!(INVALIDATED; {
                    cuMemsetD8Async(place.memory, 0, 4, stream);
                    cuMemsetD8Async(place.memory, 0, 0, stream);
                    cuMemcpyHtoDAsync_v2(place.memory, place.host, 4, stream);
                    cuEventRecord(place.event, stream);
                    cuStreamWaitEvent(stream, place.event, 0);
                });
                assert_eq!(bad_end(stream), INVALIDATED);
                assert_eq!(status(stream), NONE);
                assert_eq!(launch(nothing, stream, &[]), SUCCESS);
            }
        }
        // What was recorded before the capture can be waited for by who may wait.
        assert_eq!(launch(place.kernel(c"spin"), stream, &[LONG_NANOSECONDS]), SUCCESS);
        ok!(cuEventRecord(place.event, stream));
        begin(stream, RELAXED);
        let start = Instant::now();
        ok!(cuEventSynchronize(place.event));
        assert!(start.elapsed() >= LONG * 9 / 10);
        ok!(cuGraphDestroy(end(stream)));
        place.destroy();
    });
}

/// F101, F151
#[test]
fn a_context_with_a_capture_in_it_is_not_waited_for_in_any_mode() {
    fresh!(a_context_with_a_capture_in_it_is_not_waited_for_in_any_mode, {
        let (b, a) = (Place::new(), place());
        let (stream, second, other) = (free_stream(), free_stream(), Other::new());
        for (mode, caller) in MODES.into_iter().flat_map(|mode| MODES.map(|caller| (mode, caller)))
        {
            begin(stream, mode);
            other.begin(second, RELAXED);
            begin(b.stream, mode);
            in_mode(caller, || assert_eq!(code!(cuCtxSynchronize()), UNSUPPORTED));
            assert_eq!(
                (status(stream), status(second), status(b.stream)),
                (INVALID, INVALID, ACTIVE)
            );
            assert_eq!((bad_end(stream), other.end(second)), (INVALIDATED, INVALIDATED));
            // The capture that is left is in B.
            in_mode(caller, || ok!(cuCtxSynchronize()));
            ok!(cuGraphDestroy(end(b.stream)));
        }
        a.destroy();
        b.destroy();
    });
}

/// F143
#[test]
fn the_legacy_stream_is_refused_while_a_blocking_stream_is_under_capture() {
    fresh!(the_legacy_stream_is_refused_while_a_blocking_stream_is_under_capture, {
        let (b, a) = (Place::new(), place());
        let (stream, free, nothing) = (blocking_stream(), free_stream(), a.kernel(c"nothing"));
        let mut word = 0_u32;
        let host: *mut c_void = (&raw mut word).cast();
        let (mut flags, mut made, mut graph) = (0, null_mut(), null_mut());
        let calls: [&mut dyn FnMut() -> CUresult; 14] = [
            &mut || code!(cuMemcpyHtoD_v2(a.memory, host, 4)),
            &mut || code!(cuMemcpyHtoD_v2(a.memory, host, 0)),
            &mut || code!(cuMemcpyDtoH_v2(host, a.memory, 4)),
            &mut || code!(cuMemcpyDtoD_v2(a.memory, a.memory + 64, 4)),
            &mut || code!(cuMemsetD8_v2(a.memory, 0, 4)),
            &mut || code!(cuMemsetD8Async(a.memory, 0, 4, LEGACY)),
            &mut || launch(nothing, LEGACY, &[]),
            &mut || launch(nothing, CU_STREAM_LEGACY, &[]),
            &mut || code!(cuStreamSynchronize(LEGACY)),
            &mut || code!(cuStreamQuery(LEGACY)),
            &mut || code!(cuEventRecord(a.event, LEGACY)),
            &mut || code!(cuStreamGetFlags(LEGACY, &raw mut flags)),
            &mut || code!(cuStreamGetCtx(LEGACY, &raw mut made)),
            &mut || code!(cuStreamEndCapture(LEGACY, &raw mut graph)),
        ];
        for call in calls {
            for mode in MODES {
                begin(stream, mode);
                begin(free, RELAXED);
                let mut state = ACTIVE;
                assert_eq!(code!(cuStreamIsCapturing(LEGACY, &raw mut state)), IMPLICIT);
                assert_eq!(status(stream), ACTIVE);
                in_mode(RELAXED, || assert_eq!(call(), IMPLICIT));
                assert_eq!((status(stream), status(free)), (INVALID, ACTIVE));
                assert_eq!(bad_end(stream), INVALIDATED);
                ok!(cuGraphDestroy(end(free)));
            }
        }
        // Another context has a legacy stream of its own.
        begin(stream, GLOBAL);
        within(b.context, || ok!(cuMemsetD8_v2(b.memory, 0, 4)));
        // The stream that each thread has is blocking, and can be captured.
        let own = CU_STREAM_PER_THREAD;
        assert_eq!(launch(nothing, own, &[]), SUCCESS);
        ok!(cuGraphDestroy(end(stream)));
        begin(own, GLOBAL);
        assert_eq!(launch(nothing, own, &[]), SUCCESS);
        assert_eq!(launch(nothing, LEGACY, &[]), IMPLICIT);
        assert_eq!(bad_end(own), INVALIDATED);
        a.destroy();
        b.destroy();
    });
}

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

/// Adds one to what the argument points to.
unsafe extern "C" fn count(to: *mut c_void) {
    let to = to.cast::<u32>();
    // SAFETY: the test passes a counter that outlives what is launched.
    let value = unsafe { to.read_volatile() };
    // SAFETY: as above.
    unsafe { to.write_volatile(value + 1) };
}

/// F146, F149
#[test]
fn captured_work_runs_at_replay_with_what_its_pointers_lead_to_then() {
    fresh!(captured_work_runs_at_replay_with_what_its_pointers_lead_to_then, {
        let place = place();
        let (stream, store) = (blocking_stream(), place.kernel(c"store_value"));
        let word = |i: u64| place.memory + 4 * i;
        let (mut pageable, mut back, mut calls) = (11_u32, 0_u32, 0_u32);
        let (from, to): (*mut u32, *mut u32) = (&raw mut pageable, &raw mut back);
        let counter: *mut u32 = &raw mut calls;
        begin(stream, GLOBAL);
        assert_eq!(launch(store, stream, &[word(0), 77]), SUCCESS);
        ok!(cuMemsetD32Async(word(1), 0x55, 1, stream));
        ok!(cuMemcpyHtoDAsync_v2(word(2), from.cast(), 4, stream));
        ok!(cuMemcpyHtoDAsync_v2(word(3), place.host, 4, stream));
        ok!(cuMemcpyDtoDAsync_v2(word(4), word(0), 4, stream));
        ok!(cuLaunchHostFunc(stream, Some(count), counter.cast()));
        ok!(cuMemcpyDtoHAsync_v2(to.cast(), word(0), 4, stream));
        // Nothing of: copies and fills of nothing.
        ok!(cuMemcpyHtoDAsync_v2(word(2), from.cast(), 0, stream));
        ok!(cuMemsetD32Async(word(1), 0x55, 0, stream));
        let graph = end(stream);
        assert_eq!(
            kinds(graph),
            [
                CU_GRAPH_NODE_TYPE_KERNEL,
                CU_GRAPH_NODE_TYPE_MEMSET,
                CU_GRAPH_NODE_TYPE_MEMCPY,
                CU_GRAPH_NODE_TYPE_MEMCPY,
                CU_GRAPH_NODE_TYPE_MEMCPY,
                CU_GRAPH_NODE_TYPE_HOST,
                CU_GRAPH_NODE_TYPE_MEMCPY,
            ]
        );
        assert_eq!(edges(graph), (0..6).map(|i| (i, i + 1)).collect::<Vec<_>>());
        ok!(cuCtxSynchronize());
        let words = || {
            let mut words = [0_u32; 5];
            ok!(cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), place.memory, 20));
            words
        };
        let set = |value: u32| {
            // SAFETY: nothing runs that reads it.
            unsafe { from.write_volatile(value) };
            ok!(cuMemcpyHtoD_v2(word(5), from.cast(), 4));
            ok!(cuMemcpyDtoH_v2(place.host, word(5), 4));
        };
        let counted = || {
            // SAFETY: nothing runs that changes it.
            unsafe { counter.read_volatile() }
        };
        assert_eq!((words(), counted()), ([0; 5], 0));
        let exec = instantiate(graph);
        ok!(cuGraphDestroy(graph));
        for (run, value) in [(1, 12), (2, 13)] {
            set(value);
            replay(exec, place.stream);
            assert_eq!((words(), counted()), ([77, 0x55, value, value, 77], run));
        }
        // SAFETY: nothing runs that changes it.
        assert_eq!(unsafe { to.read_volatile() }, 77);
        ok!(cuGraphExecDestroy(exec));
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
        assert_eq!(launch(place.kernel(c"spin"), stream, &[LONG_NANOSECONDS]), SUCCESS);
        let other = Other::new();
        other.begin(stream, THREAD_LOCAL);
        assert_eq!(launch(store, stream, &[place.memory, 5]), SUCCESS);
        assert_eq!(other.end(stream), SUCCESS);
        assert_eq!(code!(cuStreamQuery(stream)), NOT_READY);
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

/// F94
#[test]
fn a_graph_that_stores_to_freed_memory_is_lost_with_the_process() {
    fresh!(a_graph_that_stores_to_freed_memory_is_lost_with_the_process, {
        let place = place();
        let (stream, store) = (free_stream(), place.kernel(c"store_value"));
        // Of more than a page, so that nothing else keeps the page.
        let mut memory = made!(cuMemAlloc_v2(4 << 20));
        begin(stream, GLOBAL);
        assert_eq!(launch(store, stream, &[memory, 1]), SUCCESS);
        let exec = instantiate(end(stream));
        replay(exec, stream);
        ok!(cuMemFree_v2(memory));
        ok!(cuGraphLaunch(exec, stream));
        assert_eq!(code!(cuStreamSynchronize(stream)), ILLEGAL_ADDRESS);
        assert_eq!(code!(cuMemAlloc_v2(&raw mut memory, 64)), ILLEGAL_ADDRESS);
    });
}

/// F149
#[test]
fn a_graph_that_copies_to_freed_memory_is_a_failed_launch() {
    fresh!(a_graph_that_copies_to_freed_memory_is_a_failed_launch, {
        let place = place();
        let stream = free_stream();
        let memory = made!(cuMemAlloc_v2(4 << 20));
        begin(stream, GLOBAL);
        ok!(cuMemcpyHtoDAsync_v2(memory, place.host, 64, stream));
        let graph = end(stream);
        ok!(cuMemFree_v2(memory));
        // Not noticed here.
        ok!(cuGraphLaunch(instantiate(graph), stream));
        assert_eq!(code!(cuStreamSynchronize(stream)), LAUNCH_FAILED);
    });
}

/// F149
#[test]
fn a_graph_runs_once_at_a_time() {
    fresh!(a_graph_runs_once_at_a_time, {
        let place = place();
        let stream = free_stream();
        begin(stream, GLOBAL);
        assert_eq!(launch(place.kernel(c"spin"), stream, &[LONG_NANOSECONDS]), SUCCESS);
        let exec = instantiate(end(stream));
        let start = Instant::now();
        ok!(cuGraphLaunch(exec, stream));
        ok!(cuGraphLaunch(exec, place.stream));
        ok!(cuStreamSynchronize(stream));
        ok!(cuStreamSynchronize(place.stream));
        assert!(start.elapsed() >= LONG * 2 * 9 / 10);
        place.destroy();
    });
}

/// F150
#[test]
fn graphs_are_made_of_nodes_and_list_them() {
    fresh!(graphs_are_made_of_nodes_and_list_them, {
        let place = place();
        let graph: CUgraph = made!(cuGraphCreate(0));
        let a: CUgraphNode = made!(cuGraphAddEmptyNode(graph, null(), 0));
        let b: CUgraphNode = made!(cuGraphAddEmptyNode(graph, &raw const a, 1));
        let twice = [a, a];
        let mut node = null_mut();
        each_gives!(INVALID_VALUE; {
            cuGraphAddEmptyNode(&raw mut node, graph, twice.as_ptr(), 2);
            cuGraphAddEmptyNode(&raw mut node, graph, null(), 1);
            cuGraphAddEmptyNode(&raw mut node, null_mut(), null(), 0);
            cuGraphAddHostNode(&raw mut node, graph, null(), 0, null());
            cuGraphAddKernelNode_v2(&raw mut node, graph, null(), 0, null());
            cuGraphAddMemcpyNode(&raw mut node, graph, null(), 0, null(), null_mut());
        });
        let (mut value, mut address) = (99_u64, place.memory);
        let mut arguments: [*mut c_void; 2] = [(&raw mut address).cast(), (&raw mut value).cast()];
        let mut launch: CUDA_KERNEL_NODE_PARAMS = all_zeros();
        launch.func = place.kernel(c"store_value");
        (launch.gridDimX, launch.gridDimY, launch.gridDimZ) = (1, 1, 1);
        (launch.blockDimX, launch.blockDimY, launch.blockDimZ) = (1, 1, 1);
        launch.kernelParams = arguments.as_mut_ptr();
        let c: CUgraphNode =
            made!(cuGraphAddKernelNode_v2(graph, &raw const b, 1, &raw const launch));
        launch.gridDimX = 0;
        let code =
            code!(cuGraphAddKernelNode_v2(&raw mut node, graph, null(), 0, &raw const launch));
        assert_eq!(code, INVALID_VALUE);
        launch.func = null_mut();
        let code =
            code!(cuGraphAddKernelNode_v2(&raw mut node, graph, null(), 0, &raw const launch));
        assert_eq!(code, INVALID_HANDLE);
        // The arguments were read.
        value = 98;
        assert_eq!(value, 98);
        let (mut calls, mut out) = (0_u32, 0_u32);
        let host = CUDA_HOST_NODE_PARAMS { r#fn: Some(count), userData: (&raw mut calls).cast() };
        let d: CUgraphNode = made!(cuGraphAddHostNode(graph, &raw const c, 1, &raw const host));
        let mut copy: CUDA_MEMCPY3D = all_zeros();
        (copy.srcMemoryType, copy.srcDevice) = (CU_MEMORYTYPE_DEVICE, place.memory);
        (copy.dstMemoryType, copy.dstHost) = (CU_MEMORYTYPE_HOST, (&raw mut out).cast());
        (copy.WidthInBytes, copy.Height, copy.Depth) = (4, 1, 1);
        let e: CUgraphNode =
            made!(cuGraphAddMemcpyNode(graph, &raw const d, 1, &raw const copy, place.context));
        for (width, height, depth) in [(0, 1, 1), (4, 0, 1), (4, 1, 0), (1 << 30, 1, 1)] {
            (copy.WidthInBytes, copy.Height, copy.Depth) = (width, height, depth);
            let (node, copy) = (&raw mut node, &raw const copy);
            let code = code!(cuGraphAddMemcpyNode(node, graph, null(), 0, copy, place.context));
            assert_eq!(code, INVALID_VALUE, "{width} {height} {depth}");
        }

        assert_eq!(nodes(graph), [a, b, c, d, e]);
        assert_eq!(
            kinds(graph),
            [
                CU_GRAPH_NODE_TYPE_EMPTY,
                CU_GRAPH_NODE_TYPE_EMPTY,
                CU_GRAPH_NODE_TYPE_KERNEL,
                CU_GRAPH_NODE_TYPE_HOST,
                CU_GRAPH_NODE_TYPE_MEMCPY,
            ]
        );
        assert_eq!(edges(graph), [(0, 1), (1, 2), (2, 3), (3, 4)]);
        // As many as there is room for; null behind the last; no room is no answer.
        let mark = (&raw mut out).cast();
        let (mut room, mut count) = ([mark; 7], 2);
        ok!(cuGraphGetNodes(graph, room.as_mut_ptr(), &raw mut count));
        assert_eq!((count, room), (2, [a, b, mark, mark, mark, mark, mark]));
        count = 6;
        ok!(cuGraphGetRootNodes(graph, room.as_mut_ptr(), &raw mut count));
        assert_eq!(
            (count, room[0], room[1], room[5], room[6]),
            (1, a, null_mut(), null_mut(), mark)
        );
        count = 7;
        ok!(cuGraphNodeGetDependencies(e, room.as_mut_ptr(), &raw mut count));
        assert_eq!((count, room[0]), (1, d));
        count = 0;
        let mut kind = CUgraphNodeType(0);
        each_gives!(INVALID_VALUE; {
            cuGraphGetNodes(graph, room.as_mut_ptr(), &raw mut count);
            cuGraphGetNodes(graph, room.as_mut_ptr(), null_mut());
            cuGraphGetNodes(null_mut(), room.as_mut_ptr(), &raw mut count);
            cuGraphGetEdges(graph, room.as_mut_ptr(), null_mut(), &raw mut count);
            cuGraphNodeGetType(null_mut(), &raw mut kind);
            cuGraphNodeGetType(a, null_mut());
        });
        replay(instantiate(graph), place.stream);
        assert_eq!((out, calls), (99, 1));
        place.destroy();
    });
}
