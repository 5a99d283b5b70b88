//! Managed memory attached to streams: F159.

use crate::common::{assert_success, software};
use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use std::ptr::null_mut;

const CAPTURED: CUresult = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
const BYTES: usize = 1 << 16;

/// A place that is current, and managed memory.
fn place() -> (Place, CUdeviceptr) {
    let place = Place::new();
    ok!(cuCtxPushCurrent_v2(place.context));
    (place, made!(cuMemAllocManaged(BYTES, 1)))
}

/// F159
#[test]
fn managed_memory_is_attached_as_a_whole() {
    fresh!(managed_memory_is_attached_as_a_whole, {
        let (a, memory) = place();
        let attach = |stream, address, bytes, flags| {
            code!(cuStreamAttachMemAsync(stream, address, bytes, flags))
        };
        let of_host: CUdeviceptr = made!(cuMemAllocManaged(BYTES, 2));
        let pageable = [0_u8; 64];
        let pageable = (&raw const pageable).addr() as CUdeviceptr;
        for flags in [1, 2, 4] {
            assert_eq!(attach(a.stream, memory, 0, flags), SUCCESS, "{flags}");
            assert_eq!(attach(a.stream, memory, BYTES, flags), SUCCESS, "{flags}");
            assert_eq!(attach(a.stream, of_host, 0, flags), SUCCESS, "{flags}");
        }
        for flags in [3, 5, 6, 7, 8, 0x101, u32::MAX] {
            assert_eq!(attach(a.stream, memory, 0, flags), INVALID_VALUE, "{flags}");
        }
        // A part, and other memory.
        for (address, bytes) in [
            (memory, BYTES / 2),
            (memory, BYTES + 1),
            (memory + 4096, 0),
            (memory + 4096, BYTES - 4096),
            (a.memory, 0),
            (a.memory, Place::BYTES),
            (a.host.addr() as CUdeviceptr, 0),
            (pageable, 64),
            (0, 0),
        ] {
            assert_eq!(attach(a.stream, address, bytes, 4), INVALID_VALUE, "{bytes}");
        }
        let streams = [null_mut(), CU_STREAM_LEGACY, CU_STREAM_PER_THREAD];
        assert_eq!(streams.map(|stream| attach(stream, memory, 0, 1)), [SUCCESS; 3]);
        assert_eq!(
            streams.map(|stream| attach(stream, memory, 0, 4)),
            [INVALID_VALUE, SUCCESS, SUCCESS]
        );
        // It waits for nothing, whatever is current.
        let gate = hold(&a);
        pop();
        assert_eq!(attach(a.stream, memory, 0, 4), SUCCESS);
        assert_eq!(attach(null_mut(), memory, 0, 1), INVALID_CONTEXT);
        assert_eq!(code!(cuStreamQuery(a.stream)), NOT_READY);
        gate.open();
        ok!(cuStreamSynchronize(a.stream));
        a.destroy();
    });
}

/// F159
#[test]
fn to_attach_memory_spoils_captures() {
    fresh!(to_attach_memory_spoils_captures, {
        let (a, memory) = place();
        let blocking: CUstream = made!(cuStreamCreate(0));
        // The answer in a capture on a stream, and whether that is whole afterwards.
        let captured = |on, mode, stream, address, flags| {
            ok!(cuStreamBeginCapture_v2(on, mode));
            let code = code!(cuStreamAttachMemAsync(stream, address, 0, flags));
            let mut graph = null_mut();
            let end = code!(cuStreamEndCapture(on, &raw mut graph));
            if end == SUCCESS {
                ok!(cuGraphDestroy(graph));
            }
            (code, end == SUCCESS)
        };
        let (global, local, relaxed) = (
            CU_STREAM_CAPTURE_MODE_GLOBAL,
            CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
            CU_STREAM_CAPTURE_MODE_RELAXED,
        );
        for caller in [global, relaxed] {
            let mut was = caller;
            ok!(cuThreadExchangeStreamCaptureMode(&raw mut was));
            for mode in [global, local, relaxed] {
                // The stream itself, before anything is looked at.
                assert_eq!(captured(a.stream, mode, a.stream, memory, 4), (CAPTURED, false));
                assert_eq!(captured(a.stream, mode, a.stream, memory, 8), (CAPTURED, false));
                // Another one, as what F141 lists.
                let beside = |address| captured(blocking, mode, a.stream, address, 4);
                let minds = caller == global && mode != relaxed;
                let (good, bad) = if minds {
                    ((CAPTURED, false), (CAPTURED, false))
                } else {
                    ((SUCCESS, true), (INVALID_VALUE, true))
                };
                assert_eq!((beside(memory), beside(a.memory)), (good, bad), "{mode:?}");
                let legacy = captured(blocking, mode, null_mut(), memory, 1);
                assert_eq!(legacy, (CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, false));
            }
            ok!(cuThreadExchangeStreamCaptureMode(&raw mut was));
        }
        a.destroy();
    });
}

/// F159: with flags 0 the real driver dies.
#[test]
fn memory_attached_to_nothing_is_the_drivers_death() {
    const TEST: &str = "memory_attached_to_nothing_is_the_drivers_death";
    crate::skip_under_miri!("it starts a process for each case");
    let outputs = each_alone(module_path!(), TEST, &[()], |()| {
        let (a, memory) = place();
        assert_eq!(code!(cuStreamAttachMemAsync(a.stream, a.memory, 0, 0)), INVALID_VALUE);
        assert_eq!(code!(cuStreamAttachMemAsync(a.stream, memory, 0, 0)), INVALID_VALUE);
    });
    for output in outputs.iter().flatten() {
        if software() {
            assert_success(TEST, output);
        } else {
            assert_eq!(crate::common::signal(output.status), Some(libc::SIGSEGV), "{output:?}");
        }
    }
}

unsafe extern "C" fn attach_in_a_host_function(to: *mut std::ffi::c_void) {
    // SAFETY: the test passes its own room, and waits for the stream before it looks at it.
    let (stream, memory, codes) = unsafe { &mut *to.cast::<(CUstream, CUdeviceptr, [u32; 2])>() };
    *codes = [4, 8].map(|flags| code!(cuStreamAttachMemAsync(*stream, *memory, 0, flags)).0);
}

/// F159
#[test]
fn memory_is_attached_in_host_functions_and_not_behind_a_fault() {
    fresh!(memory_is_attached_in_host_functions_and_not_behind_a_fault, {
        let (a, memory) = place();
        let other: CUstream = made!(cuStreamCreate(1));
        let mut told = (other, memory, [99; 2]);
        let to = (&raw mut told).cast();
        ok!(cuLaunchHostFunc(a.stream, Some(attach_in_a_host_function), to));
        ok!(cuStreamSynchronize(a.stream));
        assert_eq!(told.2, [SUCCESS.0, INVALID_VALUE.0]);
        assert_eq!(launch(a.kernel(c"stop_here"), a.stream, &[]), SUCCESS);
        assert_eq!(code!(cuStreamSynchronize(a.stream)), LAUNCH_FAILED);
        each_gives!(LAUNCH_FAILED; {
            cuStreamAttachMemAsync(a.stream, memory, 0, 4);
            cuStreamAttachMemAsync(a.stream, memory, 0, 8);
            cuStreamAttachMemAsync(null_mut(), memory, 0, 1);
        });
        pop();
        let none_current = code!(cuStreamAttachMemAsync(null_mut(), memory, 0, 1));
        assert_eq!(none_current, INVALID_CONTEXT);
    });
}
