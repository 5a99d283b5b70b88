//! What every call goes through, and how results leave through C pointers.
#![allow(unsafe_code, reason = "results are written through the pointers that a C caller passes")]

use crate::{control, sticky};
use core::ffi::{CStr, c_char, c_int};
use cuscope_sys::*;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What the body of a driver function gives.
pub(crate) type Answer<T = ()> = Result<T, CUresult>;

/// Calls that work before `cuInit`, in a forked child, and in host functions (F1).
const ALWAYS: [&str; 3] = ["cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString"];

thread_local! {
    /// Whether this thread is running a function for `cuLaunchHostFunc` (F23).
    static IN_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f` as a host function of a stream: driver calls in it are refused (F23).
pub(crate) fn in_host_function<R>(f: impl FnOnce() -> R) -> R {
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            IN_HOST_FUNCTION.set(false);
        }
    }
    IN_HOST_FUNCTION.set(true);
    let _reset = Reset;
    f()
}

/// Runs the body of the driver function `name`.
pub(crate) fn call(name: &'static str, body: impl FnOnce() -> Answer) -> CUresult {
    control::note(name);
    let result = catch_unwind(AssertUnwindSafe(|| {
        admit(name)?;
        body()
    }));
    match result {
        Ok(Ok(())) => CUDA_SUCCESS,
        Ok(Err(code)) => code,
        Err(_) => CUDA_ERROR_UNKNOWN,
    }
}

/// Whether the function may be called at all, here and now.
fn admit(name: &str) -> Answer {
    if IN_HOST_FUNCTION.get() && !ALWAYS.contains(&name) {
        return Err(CUDA_ERROR_NOT_PERMITTED);
    }
    if crate::driver::ready() {
        return sticky::admit(name);
    }
    if ALWAYS.contains(&name) || (name == "cuInit" && !crate::driver::forked()) {
        return Ok(());
    }
    Err(CUDA_ERROR_NOT_INITIALIZED)
}

/// Defines driver functions: each is exported as `cuscope_soft_…` and runs its body under
/// [`call`]. The body gives an [`Answer`].
macro_rules! driver {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => { $(
        $(#[$meta])*
        ///
        /// # Safety
        ///
        /// As for the driver's function of the same name: pointers lead to what it reads or writes.
        // SAFETY: the prefix is this library's own, so that no other symbol has the name.
        #[unsafe(export_name = concat!("cuscope_soft_", stringify!($name)))]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> cuscope_sys::CUresult {
            $crate::entry::call(stringify!($name), move || $body)
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

/// Writes a string of at most `len` bytes with its NUL, cut off if longer.
pub(crate) fn write_text(to: *mut c_char, len: c_int, value: &str) -> Answer {
    wanted(to)?;
    let room = usize::try_from(len).unwrap_or(0);
    if room == 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let taken = value.len().min(room - 1);
    for (i, byte) in value.bytes().take(taken).chain([0]).enumerate() {
        write(to.wrapping_add(i), byte as c_char)?;
    }
    Ok(())
}
