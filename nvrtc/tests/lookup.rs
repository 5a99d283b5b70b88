//! Finding libnvrtc, and functions that not every NVRTC has.

use core::ffi::CStr;
use cuscope_nvrtc_sys::{
    LINKED, NVRTC_ERROR_COMPILATION, NVRTC_NOT_LOADED, NVRTC_SUCCESS, NeedsNvrtc, load,
    nvrtcGetErrorString, nvrtcGetLTOIRSize, nvrtcGetNVVMSize, nvrtcGetTileIRSize, nvrtcResult,
    nvrtcVersion,
};

#[test]
fn the_error_says_what_is_needed() {
    let needs = NeedsNvrtc { function: "nvrtcGetLTOIR", since: 12000, until: None };
    assert_eq!(needs.to_string(), "nvrtcGetLTOIR needs NVRTC 12.0 or later");
    let needs = NeedsNvrtc { function: "nvrtcGetNVVM", since: 11040, until: Some(13000) };
    assert_eq!(needs.to_string(), "nvrtcGetNVVM needs NVRTC 11.4 or later, before 13.0");
}

fn version() -> (nvrtcResult, u32) {
    let (mut major, mut minor) = (0, 0);
    #[allow(unsafe_code, reason = "asks for the version")]
    // SAFETY: both pointers are valid for an integer
    let code = unsafe { nvrtcVersion(&raw mut major, &raw mut minor) };
    (code, u32::try_from(major * 1000 + minor * 10).unwrap())
}

/// Where there is a library, it answers; where there is none, every function says so.
#[test]
fn load_says_whether_functions_can_be_called() {
    let loaded = load();
    assert!(loaded.is_ok() || !LINKED, "{loaded:?}");
    let (code, version) = version();
    match loaded {
        Ok(()) => assert!(code == NVRTC_SUCCESS && version >= 11080, "{code:?} {version}"),
        Err(error) => {
            assert_eq!((code, version), (NVRTC_NOT_LOADED, 0));
            let text = error.to_string();
            for part in ["libnvrtc.so.13", "libnvrtc.so.12", "LD_LIBRARY_PATH"] {
                assert!(text.contains(part), "{part} is not in: {text}");
            }
        }
    }
    #[allow(unsafe_code, reason = "asks for a string of NVRTC")]
    // SAFETY: any code is accepted
    let text = unsafe { nvrtcGetErrorString(NVRTC_ERROR_COMPILATION) };
    #[allow(unsafe_code, reason = "reads a string of NVRTC")]
    // SAFETY: a string that ends in NUL and is never freed
    let text = unsafe { CStr::from_ptr(text) };
    let expected =
        if loaded.is_ok() { c"NVRTC_ERROR_COMPILATION" } else { c"libnvrtc is not loaded" };
    assert_eq!(text, expected);
}

/// A function is found if and only if the version says so; twice the same.
#[test]
fn functions_are_found_from_their_version_on() {
    let version = if load().is_ok() { version().1 } else { 0 };
    let found = [
        (nvrtcGetLTOIRSize().map(|it| it as usize), nvrtcGetLTOIRSize().map(|it| it as usize)),
        (nvrtcGetTileIRSize().map(|it| it as usize), nvrtcGetTileIRSize().map(|it| it as usize)),
        (nvrtcGetNVVMSize().map(|it| it as usize), nvrtcGetNVVMSize().map(|it| it as usize)),
    ];
    let there = [12000..u32::MAX, 13020..u32::MAX, 11040..13000];
    for ((first, second), versions) in found.into_iter().zip(there) {
        assert_eq!(first, second);
        assert_eq!(first.is_ok(), versions.contains(&version), "{first:?} of {version}");
    }
}
