//! `call!`: functions of the driver, checked and named, without the rest of the crate.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::{common, fresh, skip};
use cuscope::{Context, ContextFlags, ContextStack, Device, Error, call, driver_kind, ffi};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::ffi::CStr;
use std::ptr;

/// Every function of `ffi` can be called by the macro: all of these compile.
mod every_function {
    #![allow(dead_code, non_snake_case, clippy::too_many_arguments, reason = "those of the driver")]

    use cuscope::ffi::*;
    use cuscope::{Result, call};
    use std::ffi::*;

    macro_rules! linked {
        ($($(#[$meta:meta])* $since:literal fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => { $(
            unsafe fn $name($($arg: $ty),*) -> Result {
                // SAFETY: the obligations are the caller's.
                unsafe { call!($name($($arg),*)) }
            }
        )* };
    }
    driver_functions!(linked);

    macro_rules! looked_up {
        ($($(#[$meta:meta])* $since:literal fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => { $(
            unsafe fn $name($($arg: $ty),*) -> Result {
                // SAFETY: the obligations are the caller's.
                unsafe { call!($name()($($arg),*)) }
            }
        )* };
    }
    newer_functions!(looked_up);
}

fn context() -> Context {
    Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap()
}

#[test]
fn a_call_that_succeeds_has_written_its_answer() {
    let context = context();
    let mut id = 0;
    // SAFETY: the context is alive, and `id` is valid for one number.
    let answer: cuscope::Result<()> = unsafe { call!(cuCtxGetId(context.raw(), &raw mut id)) };
    answer.unwrap();
    assert_eq!(id, context.id().unwrap());
    // Without arguments, and with a comma after the last one.
    let mut version = 0;
    // SAFETY: `version` is valid for one number.
    unsafe { call!(cuDriverGetVersion(&raw mut version,)) }.unwrap();
    let known = cuscope::driver_version().unwrap();
    assert_eq!(version.unsigned_abs() / 1000, known.major);
    let mut stack = ContextStack::current_thread().unwrap();
    let _gpu = stack.push(&context).unwrap();
    // SAFETY: waits for the current context.
    unsafe { call!(cuCtxSynchronize()) }.unwrap();
}

#[test]
fn a_call_that_fails_is_an_error_that_names_it() {
    cuscope::init().unwrap();
    let mut device = 0;
    // SAFETY: `device` is valid for one number; there is no device of that ordinal.
    let error = unsafe { call!(cuDeviceGet(&raw mut device, -1)) }.unwrap_err();
    assert_eq!(error.call(), Some("cuDeviceGet"));
    assert_eq!(error.code(), Some(ffi::CUDA_ERROR_INVALID_DEVICE));
    let text = error.to_string();
    for part in ["`cuDeviceGet`", "CUDA_ERROR_INVALID_DEVICE", "Device::count"] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
}

/// A kernel, by its name, as only a newer driver tells it.
#[test]
fn a_function_that_is_looked_up_is_called_by_the_same_macro() {
    let context = context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let module = gpu.load_ptx(common::kernels::SAXPY).unwrap();
    let function = module.function("saxpy").unwrap();
    let mut name = ptr::null();
    // SAFETY: `name` is valid for one pointer; the function is loaded.
    match unsafe { call!(cuFuncGetName()(&raw mut name, function.raw())) } {
        Err(Error::NeedsDriver { call, since }) => {
            assert_eq!((call, since), ("cuFuncGetName", 12_030));
            skip!("the driver is older than cuFuncGetName");
        }
        answer => answer.unwrap(),
    }
    // SAFETY: on success a string that ends in NUL and lives as long as the module.
    assert_eq!(unsafe { CStr::from_ptr(name) }, c"saxpy");

    // SAFETY: the driver refuses a function that is none.
    let error = unsafe { call!(cuFuncGetName()(&raw mut name, ptr::null_mut())) }.unwrap_err();
    assert_eq!(error.call(), Some("cuFuncGetName"));
}

/// After a fault that any call reported, a context is not ended while a function of the host may run in it (F330).
#[test]
fn a_fault_that_a_call_reports_is_remembered() {
    if driver_kind() != "software" {
        skip!("needs the software driver, which fails when it is told to");
    }
    fresh!(a_fault_that_a_call_reports_is_remembered, {
        let context = context();
        {
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&context).unwrap();
            let stream = gpu.stream().unwrap();
            gpu.on(&stream).host_function(|| ()).unwrap();
        }
        let fault = Fault {
            which: Which::Named("cuCtxGetId"),
            code: ffi::CUDA_ERROR_LAUNCH_FAILED,
            performed: false,
        };
        let mut id = 0;
        // SAFETY: the context is alive, and `id` is valid for one number.
        let ask = || unsafe { call!(cuCtxGetId(context.raw(), &raw mut id)) };
        let (answer, failed) = with_fault(fault, ask);
        assert_eq!(failed, ["cuCtxGetId"]);
        assert!(answer.unwrap_err().is_sticky());
        assert!(context.try_destroy().is_err(), "the context was ended");
    });
}
