//! Functions that a stream calls, and what they are told of a fault: F152.

use crate::common::{HANG, software};
use crate::fresh;
use crate::raw::*;
use cuscope::ffi::{CU_STREAM_CAPTURE_MODE_RELAXED, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// Sends the status to the one who waits.
unsafe extern "C" fn callback(_: CUstream, status: CUresult, to: *mut c_void) {
    // SAFETY: each test passes a sender that lives until the callback has run.
    let to = unsafe { &*to.cast::<Sender<CUresult>>() };
    to.send(status).unwrap();
}

unsafe extern "C" fn host_function(to: *mut c_void) {
    // SAFETY: as above.
    let to = unsafe { &*to.cast::<Sender<CUresult>>() };
    to.send(SUCCESS).unwrap();
}

struct Told {
    sender: Box<Sender<CUresult>>,
    receiver: Receiver<CUresult>,
}

impl Told {
    fn new() -> Told {
        let (sender, receiver) = channel();
        Told { sender: Box::new(sender), receiver }
    }

    fn user_data(&self) -> *mut c_void {
        (&raw const *self.sender).cast_mut().cast()
    }

    /// The status that comes.
    fn status(&self) -> CUresult {
        self.receiver.recv_timeout(HANG).unwrap()
    }

    /// Nothing has come.
    fn is_silent(&self) -> bool {
        self.receiver.try_recv().is_err()
    }
}

/// F152: told that all is well, after the work, and what refuses a callback.
#[test]
fn a_callback_is_called_behind_the_work() {
    let (place, told) = (Place::new(), Told::new());
    let to = told.user_data();
    let gate = hold(&place);
    ok!(cuStreamAddCallback(place.stream, Some(callback), to, 0));
    assert!(told.receiver.try_recv().is_err(), "called before the kernel was done");
    gate.open();
    ok!(cuStreamSynchronize(place.stream));
    assert_eq!(told.receiver.try_recv(), Ok(SUCCESS), "called before the wait was over");

    each_gives!(INVALID_VALUE; {
        cuStreamAddCallback(place.stream, Some(callback), to, 1);
        cuStreamAddCallback(place.stream, None, to, 0);
    });
    assert_eq!(code!(cuStreamAddCallback(null_mut(), Some(callback), to, 0)), INVALID_CONTEXT);

    ok!(cuStreamBeginCapture_v2(place.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    let refused = code!(cuStreamAddCallback(place.stream, Some(callback), to, 0));
    assert_eq!(refused, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    let mut graph = null_mut();
    assert_eq!(code!(cuStreamEndCapture(place.stream, &raw mut graph)).0, 901);
    place.destroy();
}

/// F152: a fault is told to the callbacks of every stream, and host functions are not called.
#[test]
fn a_callback_is_told_of_a_fault_and_a_host_function_is_not_called() {
    fresh!(a_callback_is_told_of_a_fault_and_a_host_function_is_not_called, {
        let (place, told) = (Place::new(), Told::new());
        let (not_called, to) = (Told::new(), told.user_data());
        let other: CUstream = within(place.context, || made!(cuStreamCreate(1)));
        assert_eq!(launch(place.kernel(c"spin"), other, &[LONG_NANOSECONDS]), SUCCESS);
        ok!(cuStreamAddCallback(other, Some(callback), to, 0));
        assert_eq!(launch(place.kernel(c"stop_here"), place.stream, &[]), SUCCESS);
        ok!(cuLaunchHostFunc(place.stream, Some(host_function), not_called.user_data()));
        ok!(cuStreamAddCallback(place.stream, Some(callback), to, 0));
        // The first launch of a kernel may wait for those that run: then the other stream is done.
        let told_twice = [told.status(), told.status()];
        assert!([SUCCESS, LAUNCH_FAILED].contains(&told_twice[0]), "{told_twice:?}");
        assert_eq!(told_twice[1], LAUNCH_FAILED);
        each_gives!(LAUNCH_FAILED; {
            cuStreamSynchronize(place.stream);
            cuStreamAddCallback(place.stream, Some(callback), to, 0);
            cuLaunchHostFunc(place.stream, Some(host_function), to);
        });
        // Nothing comes within some seconds.
        thread::sleep(Duration::from_secs(if software() { 1 } else { 3 }));
        assert!(told.is_silent() && not_called.is_silent());
    });
}
