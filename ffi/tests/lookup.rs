//! Functions that not every driver has.
#![allow(unsafe_code, reason = "calls the driver")]
#![cfg(not(feature = "software"))] // there the symbols come with cuscope, which is not linked here

use cuscope_sys::{DRIVER, NeedsDriver, cuGreenCtxDestroy};

/// Without a driver, every function answers that there is none.
#[cfg(feature = "load")]
#[test]
fn a_program_runs_without_a_driver() {
    use cuscope_sys::{
        CUDA_ERROR_SHARED_OBJECT_INIT_FAILED as NONE, cuDriverGetVersion, cuInit, load,
    };
    let mut version = 0;
    // SAFETY: cuInit has no obligations; the version is written to an integer that is valid for it
    let codes = unsafe { [cuInit(0), cuDriverGetVersion(&raw mut version)] };
    match load() {
        Ok(()) => assert!(version > 0 && !codes.contains(&NONE), "{codes:?}"),
        Err(missing) => {
            assert_eq!((codes, version), ([NONE; 2], 0));
            assert!(missing.to_string().contains("install NVIDIA's driver"), "{missing}");
            assert!(format!("{missing:?}").contains("install NVIDIA's driver"), "{missing:?}");
        }
    }
}

#[test]
fn the_error_says_what_is_needed() {
    let needs = NeedsDriver { function: "cuGreenCtxDestroy", since: 12040 };
    assert_eq!(needs.to_string(), "cuGreenCtxDestroy needs a driver of CUDA 12.4 or later");
    let needs = NeedsDriver { function: "cuX", since: 13050 };
    assert_eq!(needs.to_string(), "cuX needs a driver of CUDA 13.5 or later");
}

/// With a driver, that driver's answer; without one, none. Twice the same.
#[test]
fn a_function_is_found_once_and_for_all() {
    if DRIVER != "native" {
        return; // a reference, which the software driver has to have
    }
    let found = cuGreenCtxDestroy().map(|function| function as usize);
    assert_eq!(found, cuGreenCtxDestroy().map(|function| function as usize));
    if let Err(needs) = found {
        assert_eq!(needs, NeedsDriver { function: "cuGreenCtxDestroy", since: 12040 });
    }
}
