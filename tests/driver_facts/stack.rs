//! The context stack: F1 to F23.

use crate::common::{HANG, assert_success, respawn, software};
use crate::raw::*;
use crate::{dangling, fresh};
use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance_mut};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Instant;

/// Answers that a driver may give in a process that is not initialised to arguments that are all null or 0:
/// these look at them first, or write nothing and succeed.
const OF_NULLS: [(&str, CUresult); 18] = [
    ("cuDriverGetVersion", INVALID_VALUE),
    ("cuDeviceGetAttribute", INVALID_VALUE),
    ("cuDevicePrimaryCtxGetState", INVALID_VALUE),
    ("cuCtxDestroy_v2", INVALID_VALUE),
    ("cuCtxGetDevice", INVALID_VALUE),
    ("cuCtxGetFlags", INVALID_VALUE),
    ("cuCtxGetId", INVALID_VALUE),
    ("cuMemGetAddressRange_v2", SUCCESS),
    ("cuStreamCreate", INVALID_VALUE),
    ("cuStreamDestroy_v2", INVALID_HANDLE),
    ("cuStreamGetFlags", INVALID_VALUE),
    ("cuStreamGetCtx", INVALID_VALUE),
    ("cuEventDestroy_v2", INVALID_HANDLE),
    ("cuEventQuery", INVALID_HANDLE),
    ("cuEventSynchronize", INVALID_HANDLE),
    ("cuEventElapsedTime", INVALID_HANDLE),
    ("cuFuncGetAttribute", INVALID_VALUE),
    ("cuLaunchHostFunc", INVALID_VALUE),
];

/// F1
#[test]
fn every_call_before_init_is_not_initialized() {
    fresh!(every_call_before_init_is_not_initialized, {
        call_every_function(|name, code| {
            let expected = code == NOT_INITIALIZED || OF_NULLS.contains(&(name, code));
            assert!(expected, "{name}: {code:?}");
        });
        // With arguments that are as they should be.
        let (mut number, mut pointer) = (0, null_mut());
        each_gives!(NOT_INITIALIZED; {
            cuDeviceGetCount(&raw mut number);
            cuCtxGetDevice(&raw mut number);
            cuCtxGetCurrent(&raw mut pointer);
            cuCtxSynchronize();
        });
        let version: i32 = made!(cuDriverGetVersion());
        assert!(version >= 12_000, "{version}");
        let mut text = std::ptr::null();
        ok!(cuGetErrorName(NOT_INITIALIZED, &raw mut text));
        ok!(cuGetErrorString(NOT_INITIALIZED, &raw mut text));
    });
}

/// F2
#[test]
fn init_takes_no_flags_and_may_be_repeated() {
    fresh!(init_takes_no_flags_and_may_be_repeated, {
        assert_eq!(code!(cuInit(1)), INVALID_VALUE);
        ok!(cuInit(0));
        ok!(cuInit(0));
    });
}

/// F3
#[test]
fn pop_of_an_empty_stack_is_invalid_context() {
    device();
    assert_eq!(code!(cuCtxPopCurrent_v2(null_mut())), INVALID_CONTEXT);
    let mut top = null_mut();
    assert_eq!(code!(cuCtxPopCurrent_v2(&raw mut top)), INVALID_CONTEXT);
}

/// F3
#[test]
fn calls_that_need_a_context_are_invalid_context_without_one() {
    device();
    let mut address = 0;
    let mut ordinal = 0;
    each_gives!(INVALID_CONTEXT; {
        cuCtxSynchronize();
        cuMemAlloc_v2(&raw mut address, 4096);
        cuCtxGetDevice(&raw mut ordinal);
    });
}

/// F4
#[test]
fn current_of_an_empty_stack_is_null_and_no_error() {
    device();
    let mut top = without_provenance_mut(1);
    ok!(cuCtxGetCurrent(&raw mut top));
    assert!(top.is_null());
}

/// F5
#[test]
fn push_of_null_is_invalid_value_and_pushes_nothing() {
    device();
    assert_eq!(code!(cuCtxPushCurrent_v2(null_mut())), INVALID_VALUE);
    assert!(current().is_null());
    let context = create_context();
    assert_eq!(code!(cuCtxPushCurrent_v2(null_mut())), INVALID_VALUE);
    assert_eq!(pop(), context);
    assert_eq!(code!(cuCtxPopCurrent_v2(null_mut())), INVALID_CONTEXT);
    ok!(cuCtxDestroy_v2(context));
}

/// F6
#[test]
fn push_of_what_never_was_a_context_kills_the_process() {
    crate::skip_under_miri!("it looks at a process that dies");
    match respawn(module_path!(), "push_of_what_never_was_a_context_kills_the_process") {
        Some(output) => {
            assert_eq!(crate::common::signal(output.status), Some(libc::SIGSEGV), "{output:?}");
        }
        None => {
            device();
            die_quietly(60);
            let code = code!(cuCtxPushCurrent_v2(without_provenance_mut(0x1000)));
            panic!("survived with {code:?}");
        }
    }
}

/// F7
#[test]
fn set_current_replaces_the_top_and_null_pops_it() {
    let a = create_context_unpushed();
    let b = create_context_unpushed();

    // On an empty stack it pushes.
    ok!(cuCtxSetCurrent(a));
    assert_eq!(current(), a);
    // Over a context it replaces: the stack is one deep before and after.
    ok!(cuCtxSetCurrent(b));
    assert_eq!(current(), b);
    assert_eq!(pop(), b);
    assert!(current().is_null());

    // Null pops, so that what is below appears; on an empty stack it does nothing.
    ok!(cuCtxPushCurrent_v2(a));
    ok!(cuCtxPushCurrent_v2(b));
    ok!(cuCtxSetCurrent(null_mut()));
    assert_eq!(current(), a);
    ok!(cuCtxSetCurrent(null_mut()));
    assert!(current().is_null());
    ok!(cuCtxSetCurrent(null_mut()));

    ok!(cuCtxDestroy_v2(a));
    ok!(cuCtxDestroy_v2(b));
}

/// F8
#[test]
fn a_context_pushed_twice_is_two_entries() {
    let context = create_context();
    ok!(cuCtxPushCurrent_v2(context));
    assert_eq!(pop(), context);
    assert_eq!(current(), context);
    assert_eq!(pop(), context);
    assert!(current().is_null());
    ok!(cuCtxDestroy_v2(context));
}

/// F9
#[test]
fn a_stack_takes_a_hundred_thousand_entries() {
    const DEPTH: usize = 100_000;
    let context = create_context_unpushed();
    for _ in 0..DEPTH {
        ok!(cuCtxPushCurrent_v2(context));
    }
    for _ in 0..DEPTH {
        assert_eq!(pop(), context);
    }
    assert_eq!(code!(cuCtxPopCurrent_v2(null_mut())), INVALID_CONTEXT);
    ok!(cuCtxDestroy_v2(context));
}

/// F10
#[test]
fn creation_pushes_what_it_creates() {
    let a = create_context();
    assert_eq!(current(), a);
    let b = create_context();
    assert_ne!(a, b);
    assert_eq!(pop(), b);
    assert_eq!(pop(), a);
    assert!(current().is_null());
    ok!(cuCtxDestroy_v2(a));
    ok!(cuCtxDestroy_v2(b));
}

/// F10
#[test]
fn retain_of_the_primary_context_pushes_nothing() {
    fresh!(retain_of_the_primary_context_pushes_nothing, {
        let device = device();
        let primary: CUcontext = made!(cuDevicePrimaryCtxRetain(device));
        assert!(!primary.is_null());
        assert!(current().is_null());
        ok!(cuDevicePrimaryCtxRelease_v2(device));
    });
}

/// F11
#[test]
fn a_new_thread_starts_with_an_empty_stack() {
    let context = create_context();
    let sent = Sent::new(context);
    thread::spawn(move || {
        let context = sent.take();
        assert!(current().is_null());
        ok!(cuCtxPushCurrent_v2(context));
        assert_eq!(pop(), context);
    })
    .join()
    .unwrap();
    assert_eq!(current(), context);
    ok!(cuCtxDestroy_v2(context));
}

/// F11
#[test]
fn a_context_may_be_current_on_many_threads_at_once() {
    const THREADS: usize = 4;
    let context = create_context_unpushed();
    let all_have_pushed = Barrier::new(THREADS);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            let (sent, all_have_pushed) = (Sent::new(context), &all_have_pushed);
            scope.spawn(move || {
                within(sent.take(), || {
                    all_have_pushed.wait();
                    let memory: CUdeviceptr = made!(cuMemAlloc_v2(4096));
                    ok!(cuCtxSynchronize());
                    ok!(cuMemFree_v2(memory));
                });
            });
        }
    });
    ok!(cuCtxDestroy_v2(context));
}

/// F12
#[test]
fn destroy_pops_the_context_if_it_is_on_top() {
    let below = create_context();
    let top = create_context();
    ok!(cuCtxDestroy_v2(top));
    assert_eq!(current(), below);
    ok!(cuCtxDestroy_v2(below));
    assert!(current().is_null());
    assert_eq!(code!(cuCtxPopCurrent_v2(null_mut())), INVALID_CONTEXT);
}

/// Asserts the remaining effects of the entry of a destroyed context, which is on top of the stack.
fn assert_destroyed_but_current(context: CUcontext) {
    assert_eq!(current(), context);
    let mut address = 0;
    each_gives!(CONTEXT_IS_DESTROYED; {
        cuMemAlloc_v2(&raw mut address, 4096);
        cuCtxSynchronize();
    });
    // Succeeds, but what it writes may be anything.
    let _: CUdevice = made!(cuCtxGetDevice());
    assert_eq!(pop(), context);
}

/// F13
#[test]
fn destroy_leaves_an_entry_lower_in_the_stack() {
    // Alone in a process: elsewhere a new context may get the value of the destroyed handle.
    dangling!(destroy_leaves_an_entry_lower_in_the_stack, {
        let below = create_context();
        let top = create_context();
        ok!(cuCtxDestroy_v2(below));
        assert_eq!(current(), top);
        ok!(cuCtxSynchronize());
        assert_eq!(pop(), top);
        assert_destroyed_but_current(below);
        assert!(current().is_null());
        ok!(cuCtxDestroy_v2(top));
    });
}

/// F13
#[test]
fn destroy_leaves_the_entries_of_other_threads() {
    dangling!(destroy_leaves_the_entries_of_other_threads, {
        let context = create_context_unpushed();
        let (pushed, destroyed) = (Barrier::new(2), Barrier::new(2));
        thread::scope(|scope| {
            let sent = Sent::new(context);
            let (pushed, destroyed) = (&pushed, &destroyed);
            scope.spawn(move || {
                let context = sent.take();
                ok!(cuCtxPushCurrent_v2(context));
                pushed.wait();
                destroyed.wait();
                assert_destroyed_but_current(context);
                assert!(current().is_null());
            });
            pushed.wait();
            let code = code!(cuCtxDestroy_v2(context));
            destroyed.wait();
            assert_eq!(code, SUCCESS);
        });
    });
}

/// F14
#[test]
fn push_of_a_destroyed_context_succeeds_and_calls_under_it_fail() {
    dangling!(push_of_a_destroyed_context_succeeds_and_calls_under_it_fail, {
        let context = create_context();
        ok!(cuCtxDestroy_v2(context));
        ok!(cuCtxPushCurrent_v2(context));
        assert_destroyed_but_current(context);
        assert!(current().is_null());
    });
}

/// F15
#[test]
fn a_second_destroy_is_context_is_destroyed() {
    dangling!(a_second_destroy_is_context_is_destroyed, {
        let context = create_context();
        ok!(cuCtxDestroy_v2(context));
        let code = code!(cuCtxDestroy_v2(context));
        assert!([CONTEXT_IS_DESTROYED, INVALID_CONTEXT].contains(&code), "{code:?}");
    });
}

/// F16
#[test]
fn api_version_of_a_destroyed_context_is_invalid_context() {
    dangling!(api_version_of_a_destroyed_context_is_invalid_context, {
        let context = create_context();
        let mut version = 0;
        ok!(cuCtxGetApiVersion(context, &raw mut version));
        ok!(cuCtxDestroy_v2(context));
        assert_eq!(code!(cuCtxGetApiVersion(context, &raw mut version)), INVALID_CONTEXT);
    });
}

/// F17
#[test]
fn a_context_can_be_destroyed_after_a_thread_ended_with_it_pushed() {
    let context = create_context_unpushed();
    let sent = Sent::new(context);
    thread::spawn(move || ok!(cuCtxPushCurrent_v2(sent.take()))).join().unwrap();
    ok!(cuCtxDestroy_v2(context));
}

/// Whether the primary context of a device is active.
fn primary_is_active(device: CUdevice) -> bool {
    let (mut flags, mut active) = (0, 0);
    ok!(cuDevicePrimaryCtxGetState(device, &raw mut flags, &raw mut active));
    active != 0
}

/// F18
#[test]
fn the_primary_context_is_counted() {
    fresh!(the_primary_context_is_counted, {
        let device = device();
        assert!(!primary_is_active(device));
        let primary: CUcontext = made!(cuDevicePrimaryCtxRetain(device));
        assert_eq!(made!(cuDevicePrimaryCtxRetain(device)), primary);
        assert!(primary_is_active(device));

        ok!(cuDevicePrimaryCtxRelease_v2(device));
        assert!(primary_is_active(device));
        within(primary, || ok!(cuCtxSynchronize()));
        ok!(cuDevicePrimaryCtxRelease_v2(device));
        assert!(!primary_is_active(device));
        assert_eq!(code!(cuDevicePrimaryCtxRelease_v2(device)), INVALID_CONTEXT);
    });
}

/// F18
#[test]
fn the_last_release_deactivates_a_primary_context_that_is_current() {
    fresh!(the_last_release_deactivates_a_primary_context_that_is_current, {
        let device = device();
        let primary: CUcontext = made!(cuDevicePrimaryCtxRetain(device));
        ok!(cuCtxPushCurrent_v2(primary));
        ok!(cuCtxSynchronize());
        ok!(cuDevicePrimaryCtxRelease_v2(device));
        assert_destroyed_but_current(primary);
        assert!(current().is_null());

        // The same handle comes to life again.
        assert_eq!(made!(cuDevicePrimaryCtxRetain(device)), primary);
        within(primary, || {
            let memory: CUdeviceptr = made!(cuMemAlloc_v2(4096));
            ok!(cuCtxSynchronize());
            ok!(cuMemFree_v2(memory));
        });
        ok!(cuDevicePrimaryCtxRelease_v2(device));
    });
}

/// F19
#[test]
fn destroy_of_a_primary_context_is_invalid_context() {
    fresh!(destroy_of_a_primary_context_is_invalid_context, {
        let device = device();
        let primary: CUcontext = made!(cuDevicePrimaryCtxRetain(device));
        assert_eq!(code!(cuCtxDestroy_v2(primary)), INVALID_CONTEXT);
        within(primary, || ok!(cuCtxSynchronize()));
        ok!(cuDevicePrimaryCtxRelease_v2(device));
    });
}

/// F20
#[cfg(unix)] // it forks
#[test]
fn every_call_in_a_forked_child_is_not_initialized() {
    crate::skip_under_miri!("it forks");
    fresh!(every_call_in_a_forked_child_is_not_initialized, {
        let context = create_context();
        // SAFETY: The child makes driver calls, writes to its standard error and ends by `_exit`:
        // it allocates nothing and takes no lock of this process.
        let child = unsafe { libc::fork() };
        if child == 0 {
            call_in_a_forked_child();
        }
        assert!(child > 0, "no child");
        let mut status = 0;
        // SAFETY: The status is a variable of this function.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert!(libc::WIFEXITED(status), "status {status:#x}");
        assert_eq!(libc::WEXITSTATUS(status), 0, "calls answered otherwise in the child");

        // The parent is as it was.
        assert_eq!(current(), context);
        ok!(cuCtxSynchronize());
        ok!(cuCtxDestroy_v2(context));
    });
}

/// Ends the process with 0 if every call is answered with NOT_INITIALIZED.
#[cfg(unix)]
fn call_in_a_forked_child() -> ! {
    let mut others = 0;
    let mut note = |name: &'static str, code: CUresult| {
        if code != NOT_INITIALIZED && !OF_NULLS.contains(&(name, code)) {
            others += 1;
            for text in [name, " answered otherwise in the child\n"] {
                // SAFETY: The pointer and the length are those of a string.
                unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
            }
        }
    };
    // A child that hangs dies by a signal, which the parent sees.
    // SAFETY: Sets a timer of this process.
    unsafe { libc::alarm(30) };
    note("cuInit", code!(cuInit(0)));
    call_every_function(&mut note);
    note("cuInit, again", code!(cuInit(0)));
    // SAFETY: Ends the process without the handlers of the parent.
    unsafe { libc::_exit(i32::from(others > 0)) }
}

/// F21
#[test]
fn unknown_flags_are_invalid_value_and_an_unknown_device_is_invalid_device() {
    let device = device();
    let mut context = null_mut();
    each_gives!(INVALID_VALUE; {
        cuCtxCreate_v2(&raw mut context, 0x7, device);
        cuCtxCreate_v2(&raw mut context, 0xffff, device);
    });
    let mut found = 0;
    each_gives!(INVALID_DEVICE; {
        cuCtxCreate_v2(&raw mut context, 0, 99);
        cuDeviceGet(&raw mut found, 99);
    });
    assert!(current().is_null());
}

/// F22: the costs are printed, and those of a real device must be of the right order at least.
#[test]
fn creating_a_context_takes_time_and_memory() {
    const NAME: &str = "creating_a_context_takes_time_and_memory";
    crate::alone_under_miri!(NAME);
    match respawn(module_path!(), NAME) {
        Some(output) => {
            print!("{}", String::from_utf8_lossy(&output.stdout));
            assert_success(NAME, &output);
        }
        None => measure_a_context(),
    }
}

/// Prints what a context costs, in a process where nothing else takes memory.
fn measure_a_context() {
    // The first context of a process pays for more than itself.
    let first = create_context();
    let before = free_memory();
    let start = Instant::now();
    let second = create_context();
    let creation = start.elapsed();
    let bytes = before.saturating_sub(free_memory());
    let start = Instant::now();
    ok!(cuCtxDestroy_v2(second));
    let destruction = start.elapsed();
    println!("created in {creation:?}, {} MiB; destroyed in {destruction:?}", bytes >> 20);
    ok!(cuCtxDestroy_v2(first));
    if !software() {
        assert!(creation < HANG, "{creation:?}");
        assert!(destruction < HANG, "{destruction:?}");
    }
}

/// Free memory of the current context's device.
fn free_memory() -> usize {
    let (mut free, mut total) = (0, 0);
    ok!(cuMemGetInfo_v2(&raw mut free, &raw mut total));
    assert!(free <= total);
    free
}

/// The answers to the calls of a host function.
struct FromHostFunction {
    context: CUcontext,
    stream: CUstream,
    event: CUevent,
    codes: [AtomicU32; 9],
}

/// None of the calls waits, so that a driver which permits them fails the test and does not hang.
unsafe extern "C" fn call_the_driver(data: *mut c_void) {
    // SAFETY: The test passes a `FromHostFunction` and waits for the stream before it ends.
    let from: &FromHostFunction = unsafe { &*data.cast() };
    let (mut pointer, mut address, mut number) = (null_mut(), 0, 0);
    let codes = [
        code!(cuCtxGetCurrent(&raw mut pointer)),
        code!(cuCtxPushCurrent_v2(from.context)),
        code!(cuCtxSetCurrent(from.context)),
        code!(cuCtxGetDevice(&raw mut number)),
        code!(cuMemAlloc_v2(&raw mut address, 4096)),
        code!(cuMemFree_v2(0)),
        code!(cuDeviceGetCount(&raw mut number)),
        // On a handle that is not null, two that do work.
        code!(cuStreamQuery(from.stream)),
        code!(cuEventQuery(from.event)),
    ];
    for (to, code) in from.codes.iter().zip(codes) {
        to.store(code.0, Ordering::Relaxed);
    }
}

/// F23
#[test]
fn calls_in_a_host_function_are_not_permitted() {
    let context = create_context();
    let stream: CUstream = made!(cuStreamCreate(0));
    let event: CUevent = made!(cuEventCreate(0));
    let codes = [const { AtomicU32::new(u32::MAX) }; 9];
    let seen = FromHostFunction { context, stream, event, codes };
    ok!(cuLaunchHostFunc(stream, Some(call_the_driver), (&raw const seen).cast_mut().cast()));
    ok!(cuStreamSynchronize(stream));
    let codes = seen.codes.map(|code| CUresult(code.load(Ordering::Relaxed)));
    assert_eq!(codes[..7], [NOT_PERMITTED; 7]);
    assert_eq!(codes[7..], [NOT_READY, SUCCESS]);
    ok!(cuCtxDestroy_v2(context));
}
