//! Events of a whole context: F123, F124.

use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use std::ptr::null_mut;
use std::time::Duration;

/// F123
#[test]
fn a_context_is_awaited_and_recorded_by_its_handle() {
    device();
    has!(cuCtxSynchronize_v2, cuCtxRecordEvent, cuCtxGetDevice_v2);
    assert_eq!(newer!(cuCtxSynchronize_v2(null_mut())), INVALID_CONTEXT);
    let (a, b) = (Place::new(), Place::new());
    let device: CUdevice = made!(newer cuCtxGetDevice_v2(a.context));
    assert_eq!(device, 0);
    assert_eq!(newer!(cuCtxGetDevice_v2(null_mut(), a.context)), INVALID_VALUE);

    let gate = hold(&a);
    ok!(newer cuCtxSynchronize_v2(b.context));
    assert_eq!(code!(cuStreamQuery(a.stream)), NOT_READY);
    ok!(newer cuCtxRecordEvent(a.context, a.event));
    assert_eq!(code!(cuEventQuery(a.event)), NOT_READY);
    gate.open();
    ok!(newer cuCtxSynchronize_v2(a.context));
    ok!(cuStreamQuery(a.stream));
    ok!(cuEventQuery(a.event));

    assert_refuses_other_events(&a, &b);
    a.destroy();
    b.destroy();
}

/// Asserts the other answers of `cuCtxRecordEvent`, and which calls take null for the current context.
fn assert_refuses_other_events(a: &Place, b: &Place) {
    assert_eq!(newer!(cuCtxRecordEvent(b.context, a.event)), INVALID_HANDLE);
    assert_eq!(newer!(cuCtxRecordEvent(a.context, null_mut())), INVALID_HANDLE);
    // Null is no context, with a context current neither.
    within(a.context, || {
        assert_eq!(newer!(cuCtxRecordEvent(null_mut(), a.event)), INVALID_CONTEXT);
        ok!(newer cuCtxSynchronize_v2(null_mut()));
        let _: CUdevice = made!(newer cuCtxGetDevice_v2(null_mut()));
    });
}

/// F124
#[test]
fn all_that_comes_next_in_a_context_waits_for_an_event() {
    device();
    has!(cuCtxWaitEvent);
    let (a, b) = (Place::new(), Place::new());
    let gate = hold(&a);
    ok!(cuEventRecord(a.event, a.stream));
    ok!(newer cuCtxWaitEvent(b.context, a.event));
    // The wait alone is no work.
    ok!(cuStreamQuery(b.stream));
    within(b.context, || {
        let later = free_stream();
        for (stream, part) in [b.stream, later, null_mut()].into_iter().zip(0..) {
            ok!(cuMemsetD8Async(b.memory + part * 1024, 1, 1024, stream));
        }
        std::thread::sleep(Duration::from_millis(20));
        for stream in [b.stream, later, null_mut()] {
            assert_eq!(code!(cuStreamQuery(stream)), NOT_READY);
        }
        gate.open();
        ok!(cuStreamSynchronize(later));
        ok!(cuEventQuery(a.event));
        assert_eq!(newer!(cuCtxWaitEvent(null_mut(), a.event)), INVALID_CONTEXT);
    });
    assert_eq!(newer!(cuCtxWaitEvent(b.context, null_mut())), INVALID_HANDLE);
    a.destroy();
    b.destroy();
}

/// Whether a stream is under a capture that is still good; ends that.
fn ends_well(stream: CUstream) -> bool {
    let mut graph = null_mut();
    match code!(cuStreamEndCapture(stream, &raw mut graph)) {
        SUCCESS => {
            ok!(cuGraphDestroy(graph));
            true
        }
        code => {
            assert_eq!(code, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
            false
        }
    }
}

/// Makes the calls with captures of each mode in a context, and in another one; the calling thread is in RELAXED mode.
fn assert_spoils_captures(what: &str, a: &Place, b: &Place, call: impl Fn() -> CUresult) {
    let (local, relaxed) = (CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_RELAXED);
    let mut mode = relaxed;
    ok!(cuThreadExchangeStreamCaptureMode(&raw mut mode));
    for capture in [CU_STREAM_CAPTURE_MODE_GLOBAL, local, relaxed] {
        ok!(cuStreamBeginCapture_v2(a.stream, capture));
        assert_eq!(call(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "{what}, {capture:?}");
        assert!(!ends_well(a.stream), "{what}, {capture:?}: its context");
        ok!(cuStreamBeginCapture_v2(b.stream, capture));
        assert_eq!(call(), SUCCESS, "{what}, {capture:?}");
        assert!(ends_well(b.stream), "{what}, {capture:?}: another context");
    }
    ok!(cuThreadExchangeStreamCaptureMode(&raw mut mode));
}

/// F123, F124
#[test]
fn a_context_with_a_capture_in_it_records_and_waits_for_no_event() {
    fresh!(a_context_with_a_capture_in_it_records_and_waits_for_no_event, {
        device();
        has!(cuCtxRecordEvent, cuCtxWaitEvent);
        let (a, b) = (Place::new(), Place::new());
        ok!(cuEventRecord(b.event, b.stream));
        ok!(cuEventSynchronize(b.event));
        let record = || newer!(cuCtxRecordEvent(a.context, a.event));
        assert_spoils_captures("record", &a, &b, record);
        let wait = || newer!(cuCtxWaitEvent(a.context, b.event));
        assert_spoils_captures("wait", &a, &b, wait);
        a.destroy();
        b.destroy();
    });
}
