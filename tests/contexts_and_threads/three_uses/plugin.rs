//! Code that any thread may call: a plugin behind C functions.

use super::{Kept, THENS, Then};
use crate::common::foreign::{self, current};
use crate::common::gpu::new_context;
use cuscope::{Context, ContextStack, Result, context::ContextKind, ffi, foreign::Ownership};
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use std::sync::{Barrier, Mutex};
use std::thread;

const OK: c_int = 0;
const FAILED: c_int = 1;
const PANICKED: c_int = 2;

/// The plugin: what a C host calls, with a context that the host lends.
struct Plugin {
    kept: Mutex<Kept>,
}

/// A request of the host to the plugin.
#[repr(C)]
struct Request {
    then: Then,
    /// Filled in.
    answer: u32,
    /// Called in the middle of the call, with a context of the plugin current.
    meanwhile: Option<unsafe extern "C" fn(*mut c_void)>,
    data: *mut c_void,
}

impl Request {
    fn new(then: Then) -> Request {
        Request { then, answer: 0, meanwhile: None, data: std::ptr::null_mut() }
    }
}

/// Returns the answer of a call that ends so.
fn code(then: Then) -> c_int {
    match then {
        Then::Succeed | Then::Leak => OK,
        Then::Fail | Then::FailCovered => FAILED,
        Then::Panic => PANICKED,
    }
}

fn guarded(f: impl FnOnce() -> Result) -> c_int {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(())) => OK,
        Ok(Err(_)) => FAILED,
        Err(_) => PANICKED,
    }
}

/// # Safety
/// `raw` is null, or a context that lives until `plugin_close`; `user` can be written.
unsafe extern "C" fn plugin_open(raw: ffi::CUcontext, user: *mut *mut c_void) -> c_int {
    guarded(|| {
        // SAFETY: 1. and 3. are the caller's.
        let context = unsafe { Context::from_raw(raw, Ownership::Borrow) }?;
        assert_eq!(context.kind(), ContextKind::Borrowed);
        let kept = ContextStack::reentrant(|stack| Kept::new(stack, context))?;
        let plugin = Box::new(Plugin { kept: Mutex::new(kept) });
        // SAFETY: the caller's.
        unsafe { *user = Box::into_raw(plugin).cast() };
        Ok(())
    })
}

/// # Safety
/// `user` is an open plugin's, and `request` is the caller's own.
unsafe extern "C" fn plugin_call(user: *mut c_void, request: *mut Request) -> c_int {
    guarded(|| {
        // SAFETY: the caller's.
        let plugin = unsafe { &*user.cast::<Plugin>() };
        // SAFETY: the caller's.
        let request = unsafe { &mut *request };
        ContextStack::reentrant(|stack| {
            if let Some(meanwhile) = request.meanwhile {
                let context = plugin.kept.lock().unwrap_or_else(|e| e.into_inner()).context.clone();
                let gpu = stack.push(&context)?;
                // SAFETY: the host's function, with the host's data.
                unsafe { meanwhile(request.data) };
                assert_eq!(current(), context.raw());
                gpu.synchronize()?;
            }
            let mut kept = plugin.kept.lock().unwrap_or_else(|e| e.into_inner());
            [request.answer, ..] = kept.next(stack, request.then)?;
            Ok(())
        })
    })
}

/// # Safety
/// `user` is an open plugin's, and not used again.
unsafe extern "C" fn plugin_close(user: *mut c_void) -> c_int {
    guarded(|| {
        // SAFETY: the caller's.
        drop(unsafe { Box::from_raw(user.cast::<Plugin>()) });
        Ok(())
    })
}

/// A host's way to the plugin, closed on drop.
pub(super) struct Host {
    user: AtomicPtr<c_void>,
}

impl Host {
    pub(super) fn open(lent: &Context) -> Host {
        let mut user = AtomicPtr::default();
        // SAFETY: the tests keep `lent` alive for as long as the host; `user` can be written.
        assert_eq!(unsafe { plugin_open(lent.raw(), user.get_mut()) }, OK);
        Host { user }
    }

    fn call(&self, request: &mut Request) -> c_int {
        // SAFETY: the plugin is open until `drop`; the request is borrowed exclusively.
        unsafe { plugin_call(self.user.load(Relaxed), request) }
    }

    /// One call of each way of ending: each gives its code, and changes nothing on the stack.
    pub(super) fn call_in_every_way(&self) {
        let before = current();
        for then in THENS.into_iter().chain([Then::Leak]) {
            let code = code(then);
            let mut request = Request::new(then);
            assert_eq!(self.call(&mut request), code, "{then:?}");
            assert_eq!(request.answer > 0, code == OK, "{then:?}");
            assert_eq!(current(), before, "{then:?}");
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // SAFETY: nothing calls the plugin any more.
        let code = unsafe { plugin_close(*self.user.get_mut()) };
        assert!(code == OK || thread::panicking());
    }
}

#[test]
fn a_plugin_works_whatever_is_current_and_contains_its_panics() {
    let (lent, a, b) = (new_context(), new_context(), new_context());
    let host = Host::open(&lent);
    assert!(current().is_null());
    host.call_in_every_way();

    // Inside the regions of guards of its caller, the lent context's among them.
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    let stream = outer.stream().unwrap();
    host.call_in_every_way();
    let inner = outer.push(&b).unwrap();
    host.call_in_every_way();
    inner.event().unwrap();
    inner.pop().unwrap();
    let same = outer.push(&lent).unwrap();
    host.call_in_every_way();
    same.pop().unwrap();
    assert_eq!(current(), a.raw());

    // Under foreign code that pushed in that region.
    foreign::push(b.raw());
    host.call_in_every_way();
    assert_eq!(foreign::pop(), b.raw());

    // Inside a `reentrant` call of its caller.
    ContextStack::reentrant(|stack| {
        let gpu = stack.push(&b)?;
        host.call_in_every_way();
        gpu.pop()
    })
    .unwrap();

    outer.on(&stream).record(&outer.event().unwrap()).unwrap();
    drop(stream);
    outer.pop().unwrap();
    assert!(current().is_null());

    // A borrowed context is its owner's: the plugin neither kept nor destroyed it.
    drop(host);
    let gpu = stack.push(&lent).unwrap();
    gpu.synchronize().unwrap();
    gpu.pop().unwrap();
    lent.try_destroy().expect("the plugin holds no clone").unwrap();
}

#[test]
fn a_plugin_is_called_on_many_threads_at_once() {
    let (lent, other) = (new_context(), new_context());
    let host = Host::open(&lent);
    let start = Barrier::new(8);
    thread::scope(|s| {
        for i in 0..8 {
            let (host, other, start) = (&host, &other, &start);
            s.spawn(move || {
                start.wait();
                match i % 3 {
                    0 => host.call_in_every_way(), // a thread that never saw the driver
                    1 => {
                        let mut stack = ContextStack::current_thread().unwrap();
                        let gpu = stack.push(other).unwrap();
                        host.call_in_every_way();
                        gpu.pop().unwrap();
                    }
                    _ => {
                        foreign::push(other.raw());
                        host.call_in_every_way();
                        assert_eq!(foreign::pop(), other.raw());
                    }
                }
                assert!(current().is_null());
            });
        }
    });
    let mut request = Request::new(Then::Succeed);
    assert_eq!(host.call(&mut request), OK);
    assert_eq!(request.answer, 8 * 6 + 1, "no call was lost");
}

#[test]
fn a_plugin_may_be_called_again_from_what_it_calls() {
    unsafe extern "C" fn again(host: *mut c_void) {
        // SAFETY: the test below hands over its host, which lives on.
        unsafe { &*host.cast::<Host>() }.call_in_every_way();
    }
    let (lent, own) = (new_context(), new_context());
    let host = Host::open(&lent);
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&own).unwrap();
    for then in THENS {
        let mut request = Request {
            meanwhile: Some(again),
            data: (&raw const host).cast_mut().cast(),
            ..Request::new(then)
        };
        assert_eq!(host.call(&mut request), code(then), "{then:?}");
        assert_eq!(current(), own.raw(), "{then:?}");
    }
    gpu.pop().unwrap();
    assert!(current().is_null());
}

#[test]
fn a_plugin_refuses_a_null_context_by_a_code() {
    let mut user = std::ptr::null_mut();
    // SAFETY: the context is null; `user` can be written.
    assert_eq!(unsafe { plugin_open(std::ptr::null_mut(), &raw mut user) }, FAILED);
    assert!(user.is_null() && current().is_null());
}
