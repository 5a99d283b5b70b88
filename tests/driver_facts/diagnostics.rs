//! Reports on calls and launches: the profiler, the driver's log, core dumps; F320 to F324.

use crate::fresh;
use crate::launches::config;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::time::Duration;

/// F320
#[test]
fn a_profiler_is_started_and_stopped_in_a_context_any_number_of_times() {
    let place = place();
    let start = || code!(cuProfilerStart());
    let stop = || code!(cuProfilerStop());
    assert_eq!([stop(), start(), start(), stop(), stop()], [SUCCESS; 5]);
    // A capture forbids it, but not in relaxed mode.
    let mut graph = null_mut();
    ok!(cuStreamBeginCapture_v2(place.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    let mut mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    ok!(cuThreadExchangeStreamCaptureMode(&raw mut mode));
    assert_eq!((start(), stop()), (SUCCESS, SUCCESS));
    ok!(cuThreadExchangeStreamCaptureMode(&raw mut mode));
    assert_eq!(start(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    let end = code!(cuStreamEndCapture(place.stream, &raw mut graph));
    assert_eq!(end, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    pop();
    assert_eq!((start(), stop()), (INVALID_CONTEXT, INVALID_CONTEXT));
    ok!(cuCtxPushCurrent_v2(place.context));
    place.destroy();
}

/// The calls that callbacks of these tests have seen, by their number.
static SEEN: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];
static INSIDE: AtomicBool = AtomicBool::new(false);
static OUT: AtomicBool = AtomicBool::new(false);

unsafe extern "C" fn count(data: *mut c_void, level: CUlogLevel, text: *mut c_char, len: usize) {
    // SAFETY: the driver hands a string of `len` bytes and a NUL.
    let text = unsafe { CStr::from_ptr(text) };
    assert_eq!((level, text.to_bytes().len()), (CU_LOG_LEVEL_ERROR, len));
    if text
        .to_bytes()
        .starts_with(b"Returning 400 (CUDA_ERROR_INVALID_HANDLE) from cuStreamDestroy_v2")
    {
        SEEN[data.addr()].fetch_add(1, Ordering::Relaxed);
    }
}

unsafe extern "C" fn slow(_: *mut c_void, _: CUlogLevel, _: *mut c_char, _: usize) {
    INSIDE.store(true, Ordering::Relaxed);
    std::thread::sleep(Duration::from_millis(100));
    OUT.store(true, Ordering::Relaxed);
}

/// Fails, as a call that is logged.
fn fail() {
    assert_eq!(code!(cuStreamDestroy_v2(null_mut())), INVALID_HANDLE);
}

/// F321
#[test]
fn callbacks_are_told_which_call_failed_until_they_are_unregistered() {
    has!(cuLogsRegisterCallback, cuLogsUnregisterCallback);
    fresh!(callbacks_are_told_which_call_failed_until_they_are_unregistered, {
        let mut handles = [null_mut(); 3];
        assert_eq!(
            newer!(cuLogsRegisterCallback(None, null_mut(), &raw mut handles[0])),
            INVALID_VALUE
        );
        // Before `cuInit` too.
        for (i, handle) in handles.iter_mut().enumerate() {
            let data = std::ptr::without_provenance_mut(i);
            ok!(newer cuLogsRegisterCallback(Some(count), data, handle));
        }
        ok!(cuInit(0));
        create_context();
        let seen = || [0, 1, 2].map(|i: usize| SEEN[i].load(Ordering::Relaxed));
        fail();
        assert_eq!(seen(), [1; 3]);
        ok!(newer cuLogsUnregisterCallback(handles[1]));
        fail();
        assert_eq!(seen(), [2, 1, 2]);
        ok!(newer cuLogsUnregisterCallback(handles[0]));
        ok!(newer cuLogsUnregisterCallback(handles[2]));
        assert_eq!(newer!(cuLogsUnregisterCallback(null_mut())), INVALID_VALUE);
        // The end of a registration waits for whoever is in the function.
        let handle = &mut handles[0];
        ok!(newer cuLogsRegisterCallback(Some(slow), null_mut(), handle));
        let other = std::thread::spawn(fail);
        while !INSIDE.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        ok!(newer cuLogsUnregisterCallback(*handle));
        assert!(OUT.load(Ordering::Relaxed));
        other.join().unwrap();
    });
}

/// The registrations of the test below; null is none.
static HANDLES: [AtomicPtr<c_void>; 3] = [const { AtomicPtr::new(null_mut()) }; 3];
/// Which callback ends the registration of which.
static ENDS: Mutex<Option<(usize, usize)>> = Mutex::new(None);
/// How often one was called that was not registered any more.
static LATE: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn end_another(data: *mut c_void, _: CUlogLevel, _: *mut c_char, _: usize) {
    let own = data.addr();
    SEEN[own].fetch_add(1, Ordering::Relaxed);
    if HANDLES[own].load(Ordering::Relaxed).is_null() {
        LATE.fetch_add(1, Ordering::Relaxed);
    }
    if let Some((_, other)) = ENDS.lock().unwrap().take_if(|(who, _)| *who == own) {
        end_registration(other);
    }
}

fn end_registration(of: usize) {
    let handle = HANDLES[of].swap(null_mut(), Ordering::Relaxed);
    if !handle.is_null() {
        ok!(newer cuLogsUnregisterCallback(handle.cast()));
    }
}

/// F321
#[test]
fn a_callback_that_another_one_unregisters_is_not_called_any_more() {
    has!(cuLogsRegisterCallback, cuLogsUnregisterCallback);
    fresh!(a_callback_that_another_one_unregisters_is_not_called_any_more, {
        ok!(cuInit(0));
        create_context();
        let calls = || [0, 1, 2].map(|i: usize| SEEN[i].load(Ordering::Relaxed));
        for (who, other) in [(0, 1), (0, 2), (1, 2), (1, 0), (2, 1)] {
            for (i, handle) in HANDLES.iter().enumerate() {
                let (data, mut made) = (std::ptr::without_provenance_mut(i), null_mut());
                ok!(newer cuLogsRegisterCallback(Some(end_another), data, &raw mut made));
                handle.store(made.cast(), Ordering::Relaxed);
            }
            let before = calls();
            fail();
            let told = calls();
            let messages = told[0] - before[0];
            assert!(messages > 0);
            assert_eq!(told, before.map(|calls| calls + messages), "each is told each message");
            *ENDS.lock().unwrap() = Some((who, other));
            fail();
            let ended = calls();
            assert_eq!(ended[who], told[who] + messages);
            assert_eq!(*ENDS.lock().unwrap(), None, "{who} ended {other}");
            assert_eq!(LATE.load(Ordering::Relaxed), 0, "{who} ended {other}, which is called");
            (0..3).for_each(end_registration);
        }
    });
}

/// F322
#[test]
fn the_log_is_read_from_a_place_on() {
    has!(cuLogsCurrent, cuLogsDumpToMemory, cuLogsDumpToFile);
    fresh!(the_log_is_read_from_a_place_on, {
        ok!(cuInit(0));
        create_context();
        let mut buffer = vec![0_u8; 65_536];
        let text = buffer.as_mut_ptr().cast::<c_char>();
        let mut place: u32 = made!(newer cuLogsCurrent(0));
        assert_eq!(newer!(cuLogsCurrent(null_mut(), 0)), INVALID_VALUE);
        let read = |place: *mut u32, room| {
            let mut size = room;
            let code = newer!(cuLogsDumpToMemory(place, text, &raw mut size, 0));
            // SAFETY: the driver has written `size` bytes, of a buffer that has many more.
            let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), size) };
            (code, String::from_utf8_lossy(bytes).into_owned())
        };
        fail();
        fail();
        let (code, lines) = read(&raw mut place, 32_768);
        assert_eq!(code, SUCCESS);
        let last = "Returning 400 (CUDA_ERROR_INVALID_HANDLE) from cuStreamDestroy_v2";
        let of_calls: Vec<&str> = lines.lines().filter(|line| line.ends_with(last)).collect();
        assert_eq!(of_calls.len(), 2, "{lines}");
        assert!(of_calls[0].starts_with('[') && of_calls[0].contains("[CUDA][E] "), "{lines}");
        // Nothing since; a place that is none; the beginning.
        assert_eq!(read(&raw mut place, 32_768), (SUCCESS, String::new()));
        let mut far = 1_000_000;
        assert_eq!(read(&raw mut far, 32_768), (INVALID_VALUE, String::new()));
        assert!(read(null_mut(), 32_768).1.contains(last));
        // No room for a message: nothing. For some: the newest, and the driver may write after the room.
        assert_eq!(read(null_mut(), 10), (INVALID_VALUE, String::new()));
        let (code, some) = read(null_mut(), 400);
        assert_eq!(code, SUCCESS);
        assert!(some.starts_with("The provided buffer is not large enough to hold all messages"));
        let mut size = 100;
        each_gives_newer_invalid(text, &mut size);
        // A hundred are kept.
        let mut place: u32 = made!(newer cuLogsCurrent(0));
        (0..150).for_each(|_| fail());
        let (_, lines) = read(&raw mut place, 32_768);
        assert!(
            lines.starts_with("Log buffer has rolled over since the previous dump."),
            "{lines}"
        );
        assert_eq!(lines.lines().count(), 101);
        let file = crate::common::temporary("log");
        let path = std::ffi::CString::new(file.to_str().unwrap()).unwrap();
        ok!(newer cuLogsDumpToFile(null_mut(), path.as_ptr(), 0));
        assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 101);
        std::fs::remove_file(file).unwrap();
        let nowhere = c"/no/such/folder/at/all".as_ptr();
        assert_eq!(newer!(cuLogsDumpToFile(null_mut(), nowhere, 0)), INVALID_VALUE);
        assert_eq!(newer!(cuLogsDumpToFile(null_mut(), null(), 0)), INVALID_VALUE);
    });
}

/// A dump without a place for the text, or for its length.
fn each_gives_newer_invalid(text: *mut c_char, size: &mut usize) {
    assert_eq!(newer!(cuLogsDumpToMemory(null_mut(), null_mut(), size, 0)), INVALID_VALUE);
    assert_eq!(newer!(cuLogsDumpToMemory(null_mut(), text, null_mut(), 0)), INVALID_VALUE);
}

/// F323
#[test]
fn contexts_begin_with_the_process_settings_of_core_dumps() {
    has!(cuCoredumpGetAttribute, cuCoredumpSetAttribute);
    has!(cuCoredumpGetAttributeGlobal, cuCoredumpSetAttributeGlobal);
    fresh!(contexts_begin_with_the_process_settings_of_core_dumps, {
        let get = |which, bytes: &mut [u8], global: bool| {
            let (value, mut size) = (bytes.as_mut_ptr().cast(), bytes.len());
            let which = CUcoredumpSettings(which);
            let size = &raw mut size;
            if global {
                newer!(cuCoredumpGetAttributeGlobal(which, value, size))
            } else {
                newer!(cuCoredumpGetAttribute(which, value, size))
            }
        };
        let set = |which, bytes: &[u8], global: bool| {
            let (value, mut size) = (bytes.as_ptr().cast_mut().cast(), bytes.len());
            let which = CUcoredumpSettings(which);
            let size = &raw mut size;
            if global {
                newer!(cuCoredumpSetAttributeGlobal(which, value, size))
            } else {
                newer!(cuCoredumpSetAttribute(which, value, size))
            }
        };
        let switch = |which, global| {
            let mut byte = [9];
            (get(which, &mut byte, global), byte[0])
        };
        // Before `cuInit`.
        let first = [1, 2, 3, 4].map(|which| switch(which, true));
        assert_eq!(first, [(SUCCESS, 0), (SUCCESS, 1), (SUCCESS, 0), (SUCCESS, 0)]);
        assert_eq!(switch(1, false).0, NOT_INITIALIZED);
        // Settings that are made now, except names, are reset by `cuInit`, once.
        let flags = || {
            let mut bytes = [9; 4];
            assert_eq!(get(7, &mut bytes, true), SUCCESS);
            i32::from_ne_bytes(bytes)
        };
        assert_eq!((set(3, &[1], true), set(2, &[0], true), flags()), (SUCCESS, SUCCESS, 0x3f));
        assert_eq!(set(5, b"/tmp/early\0", true), SUCCESS);
        ok!(cuInit(0));
        assert_eq!((switch(3, true), switch(2, true), flags()), ((SUCCESS, 0), (SUCCESS, 1), 0));
        let mut name = [0x55; 1024];
        assert_eq!(get(5, &mut name, true), SUCCESS);
        assert!(name.starts_with(b"/tmp/early\0"));
        // A lightweight dump is five flags, and none of the host is one.
        assert_eq!((set(3, &[1], true), flags(), set(2, &[0], true)), (SUCCESS, 0x2f, SUCCESS));
        ok!(cuInit(0));
        assert_eq!((flags(), set(3, &[0], true), flags()), (0x3f, SUCCESS, 0x10));
        assert_eq!((switch(2, true), set(7, &[0x2f, 0, 0, 0], true)), ((SUCCESS, 0), SUCCESS));
        assert_eq!((switch(3, true), switch(2, true)), ((SUCCESS, 1), (SUCCESS, 1)));
        assert_eq!((set(7, &[0x2d, 0, 0, 0], true), switch(3, true)), (SUCCESS, (SUCCESS, 0)));
        assert_eq!(set(7, &[0; 4], true), SUCCESS);
        assert_eq!((switch(1, false).0, switch(0, true).0), (INVALID_CONTEXT, INVALID_VALUE));
        // Sizes are exact; what is not zero is one.
        assert_eq!(get(1, &mut [0; 4], true), INVALID_VALUE);
        assert_eq!((set(2, &[2], true), switch(2, true)), (SUCCESS, (SUCCESS, 1)));
        assert_eq!((set(1, &[1, 0], true), set(7, &[0; 2], true)), (INVALID_VALUE, INVALID_VALUE));
        let mut size = 99;
        let file = CU_COREDUMP_FILE;
        ok!(newer cuCoredumpGetAttributeGlobal(file, null_mut(), &raw mut size));
        assert_eq!(size, 1024);
        assert_eq!(
            newer!(cuCoredumpGetAttributeGlobal(file, null_mut(), null_mut())),
            INVALID_VALUE
        );
        name = [0x55; 1024];
        assert_eq!((set(5, b"/tmp/ab\0", true), get(5, &mut name, true)), (SUCCESS, SUCCESS));
        assert!(name.starts_with(b"/tmp/ab\0") && name[8..].iter().all(|&byte| byte == 0));
        assert_eq!(get(5, &mut [0; 4], true), INVALID_VALUE);
        assert_eq!((set(5, &[b'a'; 1025], true), set(5, &[0; 1], true)), (INVALID_VALUE, SUCCESS));
        // A context begins so, and goes its own way.
        assert_eq!(set(3, &[1], true), SUCCESS);
        create_context();
        assert_eq!((switch(3, false), switch(2, false)), ((SUCCESS, 1), (SUCCESS, 1)));
        assert_eq!((set(3, &[0], true), switch(3, false)), (SUCCESS, (SUCCESS, 1)));
        create_context();
        assert_eq!((switch(3, false), set(3, &[1], false)), ((SUCCESS, 0), SUCCESS));
        assert_eq!((switch(3, false), switch(3, true)), ((SUCCESS, 1), (SUCCESS, 0)));
        assert_eq!(set(7, &2_i32.to_ne_bytes(), false), SUCCESS);
        // The pipe and its trigger are the process's.
        assert_eq!((switch(4, false).0, set(4, &[1], false)), (INVALID_VALUE, INVALID_VALUE));
        assert_eq!(
            (get(6, &mut name, false), set(6, b"p\0", false)),
            (INVALID_VALUE, INVALID_VALUE)
        );
        assert_eq!((set(6, b"/tmp/p.%p\0", true), get(6, &mut name, true)), (SUCCESS, SUCCESS));
        assert!(name.starts_with(format!("/tmp/p.{}\0", std::process::id()).as_bytes()));
    });
}

/// F324
#[test]
fn before_init_the_log_and_the_process_settings_of_dumps_work() {
    fresh!(before_init_the_log_and_the_process_settings_of_dumps_work, {
        let function = std::ptr::without_provenance_mut(1);
        let good = config(1, 1, null_mut(), &mut []);
        let (mut a, mut b, mut bytes) = (0, 0, 0_usize);
        let (a, b, none) = (&raw mut a, &raw mut b, null_mut::<c_int>());
        each_gives!(NOT_INITIALIZED; {
            cuOccupancyMaxActiveBlocksPerMultiprocessor(none, function, 32, 0);
            cuOccupancyMaxPotentialBlockSize(none, b, function, None, 0, 0);
            cuOccupancyAvailableDynamicSMemPerBlock(&raw mut bytes, null_mut(), 1, 32);
            cuOccupancyMaxActiveClusters(a, function, &raw const good);
            cuOccupancyMaxPotentialClusterSize(a, function, &raw const good);
            cuLaunchCooperativeKernel(null_mut(), 1, 1, 1, 1, 1, 1, 0, null_mut(), null_mut());
            cuFuncSetAttribute(null_mut(), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0);
            cuProfilerStart();
            cuProfilerStop();
        });
        each_gives!(INVALID_VALUE; {
            cuOccupancyMaxActiveClusters(none, function, &raw const good);
            cuOccupancyMaxActiveClusters(a, null_mut(), &raw const good);
            cuOccupancyMaxActiveClusters(a, function, null());
            cuOccupancyMaxPotentialClusterSize(none, function, &raw const good);
        });
        has!(cuLogsCurrent);
        let _place: u32 = made!(newer cuLogsCurrent(0));
    });
}

/// F324
#[test]
fn after_a_fault_the_log_can_still_be_read() {
    fresh!(after_a_fault_the_log_can_still_be_read, {
        ok!(cuInit(0));
        let place = place();
        let (function, fault) = (place.kernel(c"nothing"), place.kernel(c"stop_here"));
        assert_eq!(launch(fault, place.stream, &[]), SUCCESS);
        assert_eq!(code!(cuStreamSynchronize(place.stream)), LAUNCH_FAILED);
        let good = config(1, 1, null_mut(), &mut []);
        let (mut a, mut b, mut bytes) = (0, 0, 0_usize);
        let (a, b) = (&raw mut a, &raw mut b);
        each_gives!(LAUNCH_FAILED; {
            cuOccupancyMaxActiveBlocksPerMultiprocessor(null_mut(), function, 32, 0);
            cuOccupancyMaxPotentialBlockSize(a, b, function, None, 0, 0);
            cuOccupancyAvailableDynamicSMemPerBlock(&raw mut bytes, function, 1, 32);
            cuOccupancyMaxActiveClusters(a, function, &raw const good);
            cuOccupancyMaxPotentialClusterSize(a, function, &raw const good);
            cuLaunchCooperativeKernel(function, 1, 1, 1, 1, 1, 1, 0, place.stream, null_mut());
            cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0);
            cuProfilerStart();
            cuProfilerStop();
        });
        has!(cuLogsCurrent, cuCoredumpGetAttribute, cuCoredumpGetAttributeGlobal);
        let _place: u32 = made!(newer cuLogsCurrent(0));
        let (mut value, mut size) = (0_u8, 1);
        let (which, value) = (CU_COREDUMP_LIGHTWEIGHT, (&raw mut value).cast());
        assert_eq!(newer!(cuCoredumpGetAttribute(which, value, &raw mut size)), LAUNCH_FAILED);
        ok!(newer cuCoredumpGetAttributeGlobal(which, value, &raw mut size));
    });
}
