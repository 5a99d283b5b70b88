//! Functions that not every driver has.
#![cfg(not(feature = "software"))] // there the symbols come with cuscope, which is not linked here

use cuscope_sys::{DRIVER, NeedsDriver, cuGreenCtxDestroy};

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
