//! The legacy stream beside captures: F221.

use crate::common::{assert_success, software};
use crate::raw::*;
use cuscope::ffi::*;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const INVALIDATED: CUresult = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;

/// Begins and ends a capture of a stream; gives what a launch in it and its end answer.
fn capture(stream: CUstream, function: CUfunction) -> (CUresult, CUresult) {
    ok!(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    let code = launch(function, stream, &[]);
    let mut graph = null_mut();
    let end = code!(cuStreamEndCapture(stream, &raw mut graph));
    if end == SUCCESS {
        ok!(cuGraphDestroy(graph));
    }
    (code, end)
}

/// F221: the real driver dies in most runs. The software driver refuses the one or the other.
#[test]
fn the_legacy_stream_and_captures_on_two_threads() {
    const TEST: &str = "the_legacy_stream_and_captures_on_two_threads";
    crate::skip_under_miri!("it starts a process for each case");
    let outputs = each_alone(module_path!(), TEST, &[()], |()| {
        let a = Place::new();
        ok!(cuCtxPushCurrent_v2(a.context));
        let blocking: CUstream = made!(cuStreamCreate(0));
        let nothing = a.kernel(c"nothing");
        let (context, function) = (Sent::new(a.context), Sent::new(nothing));
        let over = AtomicBool::new(false);
        let (captures, launches) = thread::scope(|scope| {
            let over = &over;
            let user = scope.spawn(move || {
                let function = function.take();
                ok!(cuCtxPushCurrent_v2(context.take()));
                let mut answers = Vec::new();
                while !over.load(Ordering::Relaxed) {
                    answers.push(launch(function, null_mut(), &[]));
                }
                answers
            });
            let captures: Vec<_> = (0..1000).map(|_| capture(blocking, nothing)).collect();
            over.store(true, Ordering::Relaxed);
            (captures, user.join().unwrap())
        });
        for (code, end) in captures {
            assert!([SUCCESS, INVALIDATED].contains(&code), "{code:?}");
            assert!([SUCCESS, INVALIDATED].contains(&end), "{end:?}");
        }
        for code in launches {
            assert!([SUCCESS, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT].contains(&code), "{code:?}");
        }
        ok!(cuCtxSynchronize());
        a.destroy();
    });
    for output in outputs.iter().flatten() {
        match crate::common::signal(output.status) {
            Some(libc::SIGSEGV | libc::SIGABRT) if !software() => {}
            _ => assert_success(TEST, output),
        }
    }
}
