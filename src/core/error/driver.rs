//! The error of a driver call: its name and its code.

use super::{advice, debug_with_message};
use ffi::CUresult;
use std::ffi::{CStr, c_char};
use std::fmt;

/// A driver call that failed: its name and its error code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DriverError {
    pub(super) call: &'static str,
    pub(super) code: CUresult,
}

impl DriverError {
    pub(crate) fn new(call: &'static str, code: CUresult) -> DriverError {
        DriverError { call, code }
    }

    /// Returns the driver function that failed, as libcuda exports it.
    #[must_use]
    pub fn call(&self) -> &'static str {
        self.call
    }

    /// Returns the error code, which may be one that this crate has no name for. Compare it with the constants
    /// in [`ffi`], such as [`ffi::CUDA_ERROR_OUT_OF_MEMORY`].
    #[must_use]
    pub fn code(&self) -> CUresult {
        self.code
    }

    /// Returns whether the process has lost the GPU.
    ///
    /// Usually a kernel faulted. From then on every call in every context of every device returns this code
    /// ([F60](crate::driver_facts#F60), [F85](crate::driver_facts#F85)). Only a new process recovers.
    #[must_use]
    pub fn is_sticky(&self) -> bool {
        advice::is_sticky(self.code)
    }
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_failed(f, *self)?;
        write!(f, "; {}", advice::for_call(self.call, self.code))
    }
}

/// Writes which call failed, and the driver's words for its code.
pub(super) fn write_failed(f: &mut fmt::Formatter<'_>, error: DriverError) -> fmt::Result {
    let DriverError { call, code } = error;
    write!(f, "`{call}` failed: ")?;
    match described(code) {
        Some((name, text)) => write!(f, "{text} ({name}, {})", code.0),
        None => write!(f, "code {}, which this driver does not know", code.0),
    }
}

debug_with_message!(DriverError: call code);

impl std::error::Error for DriverError {}

/// Returns name and description of a code from the driver, which need no initialisation
/// ([F1](crate::driver_facts#F1)).
#[allow(unsafe_code, reason = "reads two strings of the driver")]
fn described(code: CUresult) -> Option<(&'static str, &'static str)> {
    let text = |get: unsafe extern "C" fn(CUresult, *mut *const c_char) -> CUresult| {
        let mut text: *const c_char = std::ptr::null();
        // SAFETY: both functions take any code and write a pointer to `text`, which is valid for it.
        let answer = unsafe { get(code, &raw mut text) };
        if answer != ffi::CUDA_SUCCESS || text.is_null() {
            return None; // a code that this driver does not know (F67)
        }
        // SAFETY: on success `text` is a NUL-terminated string of the driver, which it never frees
        // or changes (CUDA driver API, "Error Handling": "the address of the NULL-terminated string").
        unsafe { CStr::from_ptr(text) }.to_str().ok()
    };
    Some((text(ffi::cuGetErrorName)?, text(ffi::cuGetErrorString)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::name;

    #[test]
    fn an_unknown_code_is_kept() {
        let e = DriverError::new(name!(cuInit), CUresult(54_321));
        assert_eq!(e.code(), CUresult(54_321));
        assert!(e.to_string().contains("54321"), "{e}");
        assert!(!e.is_sticky());
    }
}
