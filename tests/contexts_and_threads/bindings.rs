//! Every function that the bindings declare is there: linked ones by the start of this program, which
//! refers to each, looked-up ones by asking.

use cuscope::ffi::{self, NeedsDriver};
use std::hint::black_box;

#[test]
fn a_program_that_refers_to_every_linked_function_starts() {
    let mut addresses = Vec::new();
    macro_rules! address {
        ($($(#[$meta:meta])* $since:literal fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => {
            $(
                const { assert!($since <= 12_000, "CUDA 12.0 does not have it: look it up") };
                addresses.push((black_box(ffi::$name as *const ()), stringify!($name)));
            )*
        };
    }
    ffi::driver_functions!(address);
    assert!(addresses.len() > 300, "{}", addresses.len());
    for (address, name) in &addresses {
        assert!(!address.is_null(), "{name}");
    }
    println!("{} functions are linked", addresses.len());
}

/// A function that the drivers of systems on a chip alone have, of whatever version.
const ON_CHIPS: &str = "cuEventCreateFromEGLSync";

#[test]
fn every_function_that_the_driver_is_new_enough_for_is_found() {
    let version = cuscope::driver_version().unwrap();
    let version = version.major * 1000 + version.minor * 10;
    let (mut found, mut missing) = (0, Vec::new());
    macro_rules! ask {
        ($($(#[$meta:meta])* $since:literal fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => { $(
            let on_chips = stringify!($name) == ON_CHIPS;
            assert!($since > 12_000 || on_chips, "CUDA 12.0 has it: link it");
            match ffi::$name() {
                Ok(function) => {
                    assert!(!black_box(function as *const ()).is_null());
                    found += 1;
                }
                Err(error) => {
                    assert_eq!(error, NeedsDriver { function: stringify!($name), since: $since });
                    missing.push(error);
                }
            }
        )* };
    }
    ffi::newer_functions!(ask);
    println!("{found} functions are found; not in this driver: {missing:?}");
    assert!(found + missing.len() > 100);
    for error in missing {
        assert!(
            error.since > version || error.function == ON_CHIPS,
            "{error}, and this one is of {version}"
        );
        let text = error.to_string();
        assert!(text.contains(error.function) && text.contains("driver of CUDA"), "{text}");
    }
}
