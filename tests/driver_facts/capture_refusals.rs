//! Calls that captures refuse, to whom, and the effect on the captures: F71, F100 to F103, F140 to F143, F151.
//!
//! A capture in GLOBAL mode concerns every thread, so that each test has a process of its own.

use crate::fresh;
use crate::raw::captures::*;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::time::Instant;

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
fn unsafe_calls_are_refused_by_the_modes_of_capture_and_caller() {
    fresh!(unsafe_calls_are_refused_by_the_modes_of_capture_and_caller, {
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
fn harmless_calls_are_allowed_in_every_capture_mode() {
    fresh!(harmless_calls_are_allowed_in_every_capture_mode, {
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
            let gate = (!relaxed).then(|| hold(&place));
            let start = Instant::now();
            assert_eq!(launch(spin, place.stream, &[LONG_NANOSECONDS]), SUCCESS);
            ok!(cuEventRecord(place.event, place.stream));
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
            drop(gate);
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
        // An event that was recorded before the capture can be waited for by who may wait.
        let start = Instant::now();
        assert_eq!(launch(place.kernel(c"spin"), stream, &[LONG_NANOSECONDS]), SUCCESS);
        ok!(cuEventRecord(place.event, stream));
        begin(stream, RELAXED);
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
