//! A plugin behind C functions, which its host calls on any thread, whatever is current there.
//! `cargo run --example plugin`
#![allow(unsafe_code, reason = "is called by C")]

use cuscope::{
    Context, ContextFlags, ContextStack, Detached, Device, In, LaunchConfig, Out, Result, Stream,
    driver_kind, driver_version, ffi, foreign::Ownership, kernel::GuardedKernel,
};
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use std::{ptr, slice, thread};

const OK: c_int = 0;
const FAILED: c_int = 1;
const PANICKED: c_int = 2;

struct Plugin {
    context: Context,
    saxpy: GuardedKernel<(u32, f32, In<f32>, Out<f32>)>,
    /// Only ever bound shared, so that calls may come on several threads at once.
    stream: Detached<Stream<'static>>,
}

/// Called by C: an error becomes a code, and so does a panic, which must not unwind into C.
fn guarded(f: impl FnOnce() -> Result) -> c_int {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(())) => OK,
        Ok(Err(error)) => {
            eprintln!("plugin: {error}");
            FAILED
        }
        Err(_) => PANICKED, // its guards are gone: unwinding has popped them
    }
}

/// # Safety
/// `context` is null or a context that lives until `plugin_close` has returned; `user` can be written.
unsafe extern "C" fn plugin_open(context: ffi::CUcontext, user: *mut *mut c_void) -> c_int {
    guarded(|| {
        // SAFETY: 1. and 3. are the caller's: what the plugin makes of it is gone in `plugin_close`.
        let context = unsafe { Context::from_raw(context, Ownership::Borrow) }?;
        let (saxpy, stream) = ContextStack::reentrant(|stack| {
            let gpu = stack.push(&context)?;
            let module = gpu.load_guarded(include_str!("kernels/saxpy.ptx"))?;
            Ok((module.kernel("saxpy")?, gpu.stream()?.detach()))
        })?;
        // SAFETY: the caller's.
        unsafe { *user = Box::into_raw(Box::new(Plugin { context, saxpy, stream })).cast() };
        Ok(())
    })
}

/// Doubles `len` numbers. The signature is the host's: it hands `user` back on every call.
///
/// # Safety
/// `user` is of `plugin_open` and not closed; `values` leads to `len` numbers, which nothing else uses.
unsafe extern "C" fn plugin_run(user: *mut c_void, values: *mut f32, len: usize) -> c_int {
    guarded(|| {
        // SAFETY: the caller's: `user` is a `Plugin`, which is never changed.
        let plugin = unsafe { &*user.cast::<Plugin>() };
        // SAFETY: the caller's.
        let values = unsafe { slice::from_raw_parts_mut(values, len) };
        // What is current here belongs to somebody else: it is covered, and comes back.
        ContextStack::reentrant(|stack| {
            let gpu = stack.push(&plugin.context)?;
            let stream = gpu.bind(&plugin.stream)?;
            let (mut x, mut y) = (gpu.alloc(len)?, gpu.alloc(len)?);
            gpu.on(stream).upload(values, &mut x)?;
            gpu.on(stream).zero(&mut y)?;
            assert!(values.iter().all(|v| !v.is_nan()), "a bug of the plugin, with all this alive");
            let n = u32::try_from(len).expect("the values fit a grid");
            let arguments = (n, 2.0, &x, &mut y);
            let config = LaunchConfig::for_num_elems(n as usize)?;
            gpu.on(stream).launch(&plugin.saxpy, config, arguments)?;
            gpu.on(stream).download(&y, values)
        })
    })
}

/// # Safety
/// `user` is of `plugin_open`, and not used again.
unsafe extern "C" fn plugin_close(user: *mut c_void) -> c_int {
    guarded(|| {
        // SAFETY: the caller's. Dropping needs no current context, so no stack either.
        drop(unsafe { Box::from_raw(user.cast::<Plugin>()) });
        Ok(())
    })
}

/// What the host does, on any thread.
fn call(user: &AtomicPtr<c_void>, values: &mut [f32]) -> c_int {
    // SAFETY: the plugin is open, and `values` are borrowed exclusively.
    unsafe { plugin_run(user.load(Relaxed), values.as_mut_ptr(), values.len()) }
}

fn main() -> Result {
    let device = Device::get(0)?;
    println!("driver: {} (CUDA {}), {}", driver_kind(), driver_version()?, device.name()?);
    // The host's contexts: one that it lends to the plugin, one that it works in.
    let lent = Context::create(device, ContextFlags::default())?;
    let own = Context::create(device, ContextFlags::default())?;
    let (mut user, mut another) = (AtomicPtr::default(), ptr::null_mut());
    // SAFETY: `lent` lives until the plugin is closed, and `user` can be written.
    assert_eq!(unsafe { plugin_open(lent.raw(), user.get_mut()) }, OK);

    // On a thread where nothing is current, then where a guard's context is, then on another thread.
    let mut values = [1.0_f32, 2.0, 3.0];
    assert_eq!(call(&user, &mut values), OK);
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&own)?;
    assert_eq!(call(&user, &mut values), OK);
    assert!(own.is_current()?);
    thread::scope(|s| s.spawn(|| assert_eq!(call(&user, &mut values), OK)).join()).expect("OK");

    // No numbers are nothing to do. An error and a panic stay inside the plugin.
    assert_eq!(call(&user, &mut []), OK);
    // SAFETY: the context is null, and the place can be written.
    assert_eq!(unsafe { plugin_open(ptr::null_mut(), &raw mut another) }, FAILED);
    println!("(the panic that follows is meant)");
    assert_eq!(call(&user, &mut [f32::NAN]), PANICKED);
    assert!(own.is_current()?);
    gpu.synchronize()?;
    gpu.pop()?;

    // SAFETY: the plugin is open, and not used again.
    assert_eq!(unsafe { plugin_close(user.into_inner()) }, OK);
    lent.try_destroy().expect("the plugin only borrowed it")?;

    let right = values == [8.0, 16.0, 24.0];
    println!("calls of the plugin: {}", if right { "right" } else { "WRONG" });
    assert!(right);
    Ok(())
}
