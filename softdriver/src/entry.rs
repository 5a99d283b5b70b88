//! What every call goes through, and how results leave through C pointers.
#![allow(unsafe_code, reason = "results are written through the pointers that a C caller passes")]

use crate::control;
use crate::domain;
use crate::faults;
use crate::model::capture;
use crate::model::logs;
use crate::rules::Rules;
use crate::schedule;
use crate::sticky;
use crate::summary;
use crate::trace;
use core::ffi::{CStr, c_char, c_int, c_uint};
use cuscope_sys::*;
use std::cell::Cell;
#[cfg(unix)]
use std::ffi::OsStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// What the body of a driver function gives.
pub(crate) type Answer<T = ()> = Result<T, CUresult>;

thread_local! {
    /// Whether this thread is running a function for `cuLaunchHostFunc` (F23).
    static IN_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f` as a host function of a stream: driver calls in it are refused (F23).
pub(crate) fn in_host_function<R>(f: impl FnOnce() -> R) -> R {
    struct Reset(bool);
    impl Drop for Reset {
        fn drop(&mut self) {
            IN_HOST_FUNCTION.set(self.0);
        }
    }
    let _reset = Reset(IN_HOST_FUNCTION.replace(true));
    domain::off_device(f)
}

/// Refuses what is not allowed in host functions, for bodies that look at arguments before.
pub(crate) fn refuse_in_host_function() -> Answer {
    if is_in_host_function() { Err(CUDA_ERROR_NOT_PERMITTED) } else { Ok(()) }
}

/// Whether the thread is in a host function, where default streams are refused (F23).
pub(crate) fn is_in_host_function() -> bool {
    IN_HOST_FUNCTION.get()
}

/// Runs the body of the driver function with the rules; `zeros` says which arguments are null or 0. Takes the body by
/// reference, so that this is compiled once, and not for each function.
pub(crate) fn call(
    rules: &'static Rules,
    zeros: &[bool],
    body: &mut dyn FnMut() -> Answer,
) -> CUresult {
    let (code, struck) = answer(rules, zeros, body);
    logs::note(rules.name, code, struck);
    summary::called(rules.name, code);
    code
}

/// The code that it gives, and whether a fault struck it.
fn answer(
    rules: &'static Rules,
    zeros: &[bool],
    body: &mut dyn FnMut() -> Answer,
) -> (CUresult, bool) {
    control::note(rules.name);
    schedule::tick(rules.name);
    let span = trace::Span::new();
    let fault = faults::strike(rules);
    let code = perform(rules, zeros, fault, body);
    if let Some(span) = span {
        span.called(rules.name, code);
    }
    (code, fault.is_some())
}

/// The same, behind what is noted of every call.
fn perform(
    rules: &Rules,
    zeros: &[bool],
    fault: Option<faults::Fault>,
    body: &mut dyn FnMut() -> Answer,
) -> CUresult {
    if let Some(fault) = fault.filter(|fault| !fault.performed) {
        return fault.code;
    }
    let result = catch_unwind(AssertUnwindSafe(|| {
        admit(rules, zeros)?;
        body()
    }));
    if let Some(fault) = fault {
        return fault.code;
    }
    match result {
        Ok(Ok(())) => CUDA_SUCCESS,
        Ok(Err(code)) => code,
        Err(_) => CUDA_ERROR_UNKNOWN,
    }
}

/// Whether the function may be called at all, here and now.
fn admit(rules: &Rules, zeros: &[bool]) -> Answer {
    let host_function = IN_HOST_FUNCTION.get();
    if host_function && !rules.always && !rules.host_fn {
        return Err(CUDA_ERROR_NOT_PERMITTED);
    }
    if crate::model::driver::ready() {
        sticky::admit(rules, zeros)?;
        return capture::admit(rules);
    }
    if rules.always || (rules.starts && !crate::model::driver::forked()) {
        return Ok(());
    }
    Err(rules.looked(zeros).unwrap_or(CUDA_ERROR_NOT_INITIALIZED))
}

/// What an argument can be compared with.
pub(crate) trait Zero {
    /// Whether it is null or 0.
    fn is_zero(&self) -> bool;
}

macro_rules! zero {
    ($($ty:ty),*) => { $(impl Zero for $ty {
        fn is_zero(&self) -> bool {
            *self == 0
        }
    })* };
}
zero!(u8, u16, u32, u64, usize, i32);

macro_rules! transparent_zero {
    ($($ty:ty),*) => { $(impl Zero for $ty {
        fn is_zero(&self) -> bool {
            self.0 == 0
        }
    })* };
}
transparent_zero!(
    CUresult,
    CUarray_format,
    CUGLDeviceList,
    CUmemAllocationType,
    CUcoredumpSettings,
    CUdevResourceType,
    CUdevice_P2PAttribute,
    CUflushGPUDirectRDMAWritesTarget,
    CUflushGPUDirectRDMAWritesScope,
    CUdevice_attribute,
    CUexecAffinityType,
    CUfunc_cache,
    CUfunction_attribute,
    CUlaunchAttributeID,
    CUjitInputType,
    CUlimit,
    CUgraphMem_attribute,
    CUmemAllocationGranularity_flags,
    CUmulticastGranularity_flags,
    CUmemAllocationHandleType,
    CUmemPool_attribute,
    CUmem_advise,
    CUpointer_attribute,
    CUmem_range_attribute,
    CUsharedconfig,
    CUstreamCaptureMode,
    CUtensorMapDataType,
    CUtensorMapFloatOOBfill,
    CUtensorMapIm2ColWideMode,
    CUtensorMapInterleave,
    CUtensorMapL2promotion,
    CUtensorMapSwizzle
);

impl Zero for f32 {
    fn is_zero(&self) -> bool {
        *self == 0.0
    }
}

impl<T> Zero for *mut T {
    fn is_zero(&self) -> bool {
        self.is_null()
    }
}

impl<T> Zero for *const T {
    fn is_zero(&self) -> bool {
        self.is_null()
    }
}

impl Zero for CUmemLocation {
    fn is_zero(&self) -> bool {
        self.r#type.0 == 0
    }
}

impl Zero for CUstreamCallback {
    fn is_zero(&self) -> bool {
        self.is_none()
    }
}

impl Zero for CUoccupancyB2DSize {
    fn is_zero(&self) -> bool {
        self.is_none()
    }
}

impl Zero for CUasyncCallback {
    fn is_zero(&self) -> bool {
        self.is_none()
    }
}

impl Zero for CUlogsCallback {
    fn is_zero(&self) -> bool {
        self.is_none()
    }
}

impl Zero for CUhostFn {
    fn is_zero(&self) -> bool {
        self.is_none()
    }
}

/// Defines driver functions: each runs its body under [`call`], which keeps the [`Rules`] in brackets behind the
/// arguments. The body gives an [`Answer`]. They are exported in [`exports`](crate::exports).
macro_rules! driver {
    ($(
        $(#[$meta:meta])*
        fn $name:ident($($arg:ident: $ty:ty),* $(,)?)
        $([$($rule:ident $(($what:expr))? $(= $code:ident)?),* $(,)?])?
        $body:block
    )*) => { $(
        $(#[$meta])*
        ///
        /// # Safety
        ///
        /// As for the driver's function of the same name: pointers lead to what it reads or writes.
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> cuscope_sys::CUresult {
            const ARGUMENTS: &[&str] = &[$(stringify!($arg)),*];
            static RULES: $crate::rules::Rules =
                $crate::rules::Rules::of(stringify!($name), ARGUMENTS.len())
                    $($(.$rule($($what)? $(, $code)?))*)?;
            let zeros = [$($crate::entry::Zero::is_zero(&$arg)),*];
            $crate::entry::call(&RULES, &zeros, &mut move || $body)
        }
    )* };
}
pub(crate) use driver;

/// Writes a result through a pointer of the caller; null is INVALID_VALUE.
pub(crate) fn write<T>(to: *mut T, value: T) -> Answer {
    if to.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    // SAFETY: not null; that it leads to writable room for a `T` is the contract of every driver
    // function with a result, and only such functions call this, with the type of the declaration.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Writes a result through a pointer that may be null for "not wanted".
pub(crate) fn write_optional<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // Cannot fail: not null.
        let _ = write(to, value);
    }
}

/// Null is INVALID_VALUE: for results that are written after something happened.
pub(crate) fn wanted<T>(to: *const T) -> Answer {
    if to.is_null() { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(()) }
}

/// Reads an argument through a pointer; null is INVALID_VALUE.
pub(crate) fn read<T: Copy>(from: *const T) -> Answer<T> {
    wanted(from)?;
    // SAFETY: not null; that it leads to a `T` is the contract of every driver function that
    // takes a structure or an array by pointer, and only those call this.
    Ok(unsafe { from.read_unaligned() })
}

/// The `index`-th element of an array that the caller passed.
pub(crate) fn element<T: Copy>(array: *const T, index: usize) -> Answer<T> {
    wanted(array)?;
    // Never dereferenced here: `read` does, under the contract that the array has the element.
    read(array.wrapping_add(index))
}

/// A C string argument; null is INVALID_VALUE.
pub(crate) fn text<'a>(from: *const c_char) -> Answer<&'a CStr> {
    wanted(from)?;
    // SAFETY: not null; that it is a string which ends in NUL, unchanged during the call, is the
    // contract of every driver function that takes one; no caller keeps the reference.
    Ok(unsafe { CStr::from_ptr(from) })
}

/// The name of a file; null is INVALID_VALUE.
pub(crate) fn path(from: *const c_char) -> Answer<PathBuf> {
    let name = text(from)?.to_bytes();
    #[cfg(unix)]
    let path = <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name);
    #[cfg(not(unix))]
    let path = String::from_utf8_lossy(name).into_owned();
    Ok(path.into())
}

/// Writes a string of at most `len` bytes with its NUL, cut off if longer.
pub(crate) fn write_text(to: *mut c_char, len: c_int, value: &str) -> Answer {
    wanted(to)?;
    // The length counts as unsigned.
    let room = len as c_uint as usize;
    if room == 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let taken = value.len().min(room - 1);
    for (i, byte) in value.bytes().take(taken).chain([0]).enumerate() {
        write(to.wrapping_add(i), byte as c_char)?;
    }
    Ok(())
}
