//! The driver functions about [`result`](crate::model::result).
#![allow(unsafe_code, reason = "exported functions")]

use super::driver::{WRONG_ENVIRONMENT, why_not_begun};
use crate::call::driver;
use crate::entry;
use crate::model::result::CODES;
use core::ffi::{CStr, c_char};
use cuscope_sys::*;

/// Points at one of a code's texts; unknown codes have none (F67).
fn point(
    to: *mut *const c_char,
    code: CUresult,
    text: fn(&(CUresult, &'static CStr, &'static CStr)) -> &'static CStr,
) -> entry::Answer {
    let found = CODES.iter().find(|(known, ..)| *known == code);
    entry::write(to, found.map_or(std::ptr::null(), |row| text(row).as_ptr()))?;
    if found.is_some() { Ok(()) } else { Err(CUDA_ERROR_INVALID_VALUE) }
}

driver! {
    /// The name of a code.
    fn cuGetErrorName(error: CUresult, pStr: *mut *const c_char) [always, after_fault] {
        point(pStr, error, |row| row.1)
    }
    /// The description of a code. That of the answer to variables that make no sense says which.
    fn cuGetErrorString(error: CUresult, pStr: *mut *const c_char) [always, after_fault] {
        if let Some(why) = (error == WRONG_ENVIRONMENT).then(why_not_begun).flatten() {
            return entry::write(pStr, why.as_ptr());
        }
        point(pStr, error, |row| row.2)
    }
}
