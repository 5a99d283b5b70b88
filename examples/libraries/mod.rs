//! Finds a library of NVIDIA's when an example runs, so that the example builds and starts everywhere.
#![allow(unsafe_code, reason = "calls the loader, and names the types of functions")]

use cuscope::driver_kind;
use std::env;
use std::ffi::{CStr, CString, c_int, c_void};
use std::path::Path;

/// A library that stays loaded.
#[derive(Clone, Copy)]
pub(crate) struct Library(*mut c_void);
// SAFETY: a handle of the loader, which any thread may ask.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Library {
    /// Opens the first of these libraries that is there, in the folder that a variable names, or where the loader looks.
    /// Each entry has the libraries that it needs before it. Says why there is none, or that there is no GPU.
    pub(crate) fn open(example: &str, variable: &str, sets: &[&[&str]]) -> Option<Library> {
        if driver_kind() == "software" {
            println!("{example}: skipped, because the software driver answers and there is no GPU");
            return None;
        }
        let folder = env::var_os(variable);
        let found = sets.iter().find_map(|set| {
            let all: Vec<_> = set
                .iter()
                .map_while(|name| {
                    let path = folder.as_ref().map_or(name.into(), |f| Path::new(f).join(name));
                    let path = CString::new(path.into_os_string().into_encoded_bytes()).ok()?;
                    let handle = system::open(&path);
                    (!handle.is_null()).then_some(handle)
                })
                .collect();
            (all.len() == set.len()).then(|| Library(all[all.len() - 1]))
        });
        if found.is_none() {
            let names: Vec<_> = sets.iter().filter_map(|set| set.last()).collect();
            println!(
                "{example}: skipped, because there is no library of {names:?}: set {variable} to its folder"
            );
        }
        found
    }

    /// Looks a function up.
    ///
    /// # Safety
    /// 1. `F` is the type of the function with this name, a pointer to an `extern "C"` function.
    pub(crate) unsafe fn function<F: Copy>(self, name: &str) -> F {
        let text = CString::new(name).expect("a name without NUL");
        // SAFETY: the library stays loaded.
        let address = unsafe { system::find(self.0, &text) };
        assert!(!address.is_null(), "the library has no function `{name}`");
        assert_eq!(size_of::<F>(), size_of_val(&address), "{name}: not a pointer");
        // SAFETY: the caller's obligation 1: an address that is not null is a pointer to the function.
        unsafe { std::mem::transmute_copy(&address) }
    }
}

/// The loader.
#[cfg(unix)]
mod system {
    use super::*;

    /// Loads a library of NVIDIA's and the libraries that it needs, or gives null.
    pub(super) fn open(path: &CStr) -> *mut c_void {
        // SAFETY: a string; the libraries of NVIDIA may be loaded at any time.
        unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) }
    }

    /// # Safety
    /// 1. The library is loaded.
    pub(super) unsafe fn find(library: *mut c_void, name: &CStr) -> *mut c_void {
        // SAFETY: the caller's obligation 1; the name is a string.
        unsafe { libc::dlsym(library, name.as_ptr()) }
    }
}

/// The loader, which looks for libraries where Windows does.
#[cfg(windows)]
mod system {
    use super::*;
    use std::ffi::c_char;

    #[link(name = "kernel32", kind = "raw-dylib")]
    unsafe extern "system" {
        fn LoadLibraryA(name: *const c_char) -> *mut c_void;
        fn GetProcAddress(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }

    /// Loads a library of NVIDIA's and the libraries that it needs, or gives null.
    pub(super) fn open(path: &CStr) -> *mut c_void {
        // SAFETY: a string; the libraries of NVIDIA may be loaded at any time.
        unsafe { LoadLibraryA(path.as_ptr()) }
    }

    /// # Safety
    /// 1. The library is loaded.
    pub(super) unsafe fn find(library: *mut c_void, name: &CStr) -> *mut c_void {
        // SAFETY: the caller's obligation 1; the name is a string.
        unsafe { GetProcAddress(library, name.as_ptr()) }
    }
}

/// Panics unless a call of a library succeeded.
pub(crate) fn check(call: &str, status: c_int) {
    assert_eq!(status, 0, "{call} failed");
}
