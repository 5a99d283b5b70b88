//! Which driver a build is for: libcuda, or the software driver.
#![allow(unsafe_code, reason = "asking the machine for a driver means calling it")]

use std::ffi::{c_int, c_uint, c_void};
use std::mem;

/// The driver that the crate is linked with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Driver {
    /// libcuda, or a stub in its place.
    Native,
    /// The crate cuscope-softdriver, which the safe crate adds.
    Software,
}

impl Driver {
    /// The value of the cfg `cuda_driver`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Driver::Native => "native",
            Driver::Software => "software",
        }
    }
}

/// Chooses the driver to link with, and a warning. `feature`: whether the software driver is in this build; without it,
/// nothing else matters. `variable`: the value of `CUSCOPE_DRIVER`, if any. `release`: whether the program
/// is optimized, and so may be shipped. `works_here`: whether this machine has a driver that works; asked
/// only if it matters.
pub(crate) fn choose(
    feature: bool,
    variable: Option<&str>,
    cross: bool,
    release: bool,
    works_here: impl FnOnce() -> bool,
) -> Result<(Driver, Option<&'static str>), String> {
    if !feature {
        return Ok((Driver::Native, None));
    }
    match variable.unwrap_or_default() {
        "native" => Ok((Driver::Native, None)),
        "software" => Ok((Driver::Software, None)),
        // nothing is known of the machine that will run this
        "" if cross => Ok((Driver::Native, None)),
        "" if works_here() => Ok((Driver::Native, None)),
        "" if release => Err(EMULATED_RELEASE.to_owned()),
        "" => Ok((Driver::Software, Some(EMULATED))),
        other => Err(format!("CUSCOPE_DRIVER={other}: expected `native` or `software`")),
    }
}

const EMULATED: &str = "no CUDA driver works on this machine: this build has the software driver, which computes \
                        on the CPU (CUSCOPE_DRIVER=native links libcuda)";
const EMULATED_RELEASE: &str = "no CUDA driver works on this machine, and the feature `software-driver` would put the \
                                software driver, which computes on the CPU, into a release build: set \
                                CUSCOPE_DRIVER=native to link libcuda, or CUSCOPE_DRIVER=software if you mean it";

/// Whether this machine has a driver whose `cuInit(0)` succeeds.
pub(crate) fn driver_works() -> bool {
    type Init = unsafe extern "C" fn(c_uint) -> c_int;

    let init = system::find_init();
    if init.is_null() {
        return false;
    }
    // SAFETY: a pointer that is not null, to the function that cuda.h declares as
    // `CUresult cuInit(unsigned int Flags)`; `CUresult` is an enumeration as wide as an `int`.
    let init = unsafe { mem::transmute::<*mut c_void, Init>(init) };
    // SAFETY: cuInit has no precondition; the flags must be 0, and are.
    let result = unsafe { init(0) };
    result == 0
}

#[cfg(unix)]
mod system {
    use std::ffi::{c_char, c_int, c_void};
    use std::ptr;

    const RTLD_LAZY: c_int = 1;
    unsafe extern "C" {
        fn dlopen(file: *const c_char, mode: c_int) -> *mut c_void;
        fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    }

    /// `cuInit` of the `libcuda.so.1` that the loader finds, or null.
    pub(super) fn find_init() -> *mut c_void {
        // SAFETY: the name ends in a zero byte. What the library runs when it is loaded is the
        // driver's own affair, as in every program that uses it.
        let library = unsafe { dlopen(c"libcuda.so.1".as_ptr(), RTLD_LAZY) };
        if library.is_null() {
            return ptr::null_mut();
        }
        // SAFETY: `library` was opened above and is never closed; the name ends in a zero byte.
        unsafe { dlsym(library, c"cuInit".as_ptr()) }
    }
}

#[cfg(windows)]
mod system {
    use std::ffi::{c_char, c_ulong, c_void};
    use std::ptr;

    const LOAD_LIBRARY_SEARCH_SYSTEM32: c_ulong = 0x800;
    #[link(name = "kernel32", kind = "raw-dylib")]
    unsafe extern "system" {
        fn LoadLibraryExA(name: *const c_char, file: *mut c_void, flags: c_ulong) -> *mut c_void;
        fn GetProcAddress(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }

    /// `cuInit` of the system's `nvcuda.dll`, or null.
    pub(super) fn find_init() -> *mut c_void {
        let (name, flags) = (c"nvcuda.dll".as_ptr(), LOAD_LIBRARY_SEARCH_SYSTEM32);
        // SAFETY: the name ends in a zero byte, there is no file, and Windows has had the flag since 8.1.
        // The code that the library runs when it is loaded is the driver's own affair.
        let library = unsafe { LoadLibraryExA(name, ptr::null_mut(), flags) };
        if library.is_null() {
            return ptr::null_mut();
        }
        // SAFETY: `library` was loaded above and is never freed; the name ends in a zero byte.
        unsafe { GetProcAddress(library, c"cuInit".as_ptr()) }
    }
}

/// Without a loader to ask, there is no driver.
#[cfg(not(any(unix, windows)))]
mod system {
    pub(super) fn find_init() -> *mut std::ffi::c_void {
        std::ptr::null_mut()
    }
}
