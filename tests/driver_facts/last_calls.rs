//! Calls of a thread or a process that ends: F654.

use crate::common::{assert_success, respawn_with};
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

const OVER: CUresult = CUDA_ERROR_DEINITIALIZED;

/// The address of the context, once the process is one that asks.
static CONTEXT: AtomicUsize = AtomicUsize::new(0);
/// Memory of it, with the number 7.
static MEMORY: AtomicUsize = AtomicUsize::new(0);

fn context() -> CUcontext {
    std::ptr::with_exposed_provenance_mut(CONTEXT.load(Ordering::Relaxed))
}

/// Makes calls, says what came of them and which it is, and ends the process if they were not as they should be.
fn ask(place: &str, expected: CUresult) {
    let (context, memory) = (context(), MEMORY.load(Ordering::Relaxed) as CUdeviceptr);
    let (mut current, mut value, mut new) = (null_mut(), 0_u32, 0);
    let codes = [
        code!(cuCtxPushCurrent_v2(context)),
        code!(cuCtxGetCurrent(&raw mut current)),
        code!(cuMemcpyDtoH_v2((&raw mut value).cast(), memory, 4)),
        code!(cuMemAlloc_v2(&raw mut new, 100)),
        code!(cuCtxPopCurrent_v2(null_mut())),
    ];
    let works = expected == SUCCESS;
    let right =
        codes == [expected; 5] && (current == context, value) == (works, 7 * u32::from(works));
    let answer = format!("{place}: {codes:?}, current {current:?}, value {value}: {right}\n");
    // SAFETY: writes a text, where the library may be at its end.
    unsafe { libc::write(1, answer.as_ptr().cast(), answer.len()) };
    if !right {
        // SAFETY: ends the process.
        unsafe { libc::_exit(1) };
    }
}

extern "C" fn exit_handler() {
    ask("exit handler", SUCCESS);
}

unsafe extern "C" fn key_destructor(_: *mut c_void) {
    ask("destructor of a key", SUCCESS);
}

/// Runs after all exit handlers, in every process of this binary.
extern "C" fn destructor() {
    if !context().is_null() {
        ask("destructor of the executable", OVER);
    }
}

// SAFETY: the list of what the system's loader calls at the end; the function can be called at any time.
#[unsafe(link_section = ".fini_array")]
#[used]
static DESTRUCTOR: extern "C" fn() = destructor;

/// Asks when a value of a thread is dropped.
struct OfThread;

impl Drop for OfThread {
    fn drop(&mut self) {
        ask("destructor of a thread's value", SUCCESS);
    }
}

thread_local! {
    static VALUE: OfThread = const { OfThread };
}

/// F654
#[test]
fn a_thread_or_process_that_ends_makes_calls_until_its_exit_handlers_are_over() {
    const TEST: &str = "a_thread_or_process_that_ends_makes_calls_until_its_exit_handlers_are_over";
    crate::skip_under_miri!("starts a process");
    // Whatever the software driver does besides.
    for variables in [&[][..], &[("CUSCOPE_SOFT_CHECK", "1")], &[("CUSCOPE_SOFT_SEED", "1")]] {
        let Some(output) = respawn_with(module_path!(), TEST, variables) else { return asks() };
        assert_success(TEST, &output);
        let text = String::from_utf8_lossy(&output.stdout);
        for place in [
            "destructor of a thread's value",
            "destructor of a key",
            "exit handler",
            "destructor of the executable",
        ] {
            assert!(text.contains(&format!("{place}: ")), "{place} did not ask:\n{text}");
        }
    }
}

/// The process that asks.
fn asks() {
    let place = Place::new();
    within(place.context, || ok!(cuMemsetD32_v2(place.memory, 7, 1)));
    MEMORY.store(place.memory as usize, Ordering::Relaxed);
    CONTEXT.store(place.context.expose_provenance(), Ordering::Relaxed);
    // SAFETY: a function without obligations.
    assert_eq!(unsafe { libc::atexit(exit_handler) }, 0);
    let thread = std::thread::spawn(|| {
        VALUE.with(|_| ());
        let mut key = 0;
        // SAFETY: room for a key, whose destructor takes any value.
        assert_eq!(unsafe { libc::pthread_key_create(&raw mut key, Some(key_destructor)) }, 0);
        // SAFETY: a key that exists; the value is not null.
        assert_eq!(unsafe { libc::pthread_setspecific(key, (&raw mut key).cast()) }, 0);
        ok!(cuCtxPushCurrent_v2(context()));
    });
    thread.join().unwrap();
}
