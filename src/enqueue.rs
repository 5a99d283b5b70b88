//! The operations on a stream, as the driver takes them: one call each, which may return before the
//! device is done.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{Answer, answer, name};
use crate::{Error, Result};
use ffi::{CUdeviceptr, CUstream};
use std::ffi::c_void;

// What all of them ask for, as obligation 1: the stream is alive, and so is the memory, which has as
// many bytes as the operation uses; until the stream is past the operation nobody frees it, writes what
// it reads, or uses what it writes. No context need be current (F30, F34).

pub(crate) const UPLOAD: &str = name!(cuMemcpyHtoDAsync_v2);
pub(crate) const DOWNLOAD: &str = name!(cuMemcpyDtoHAsync_v2);
pub(crate) const COPY: &str = name!(cuMemcpyDtoDAsync_v2);
pub(crate) const ZERO: &str = name!(cuMemsetD8Async);

/// Copies from the host.
///
/// # Safety
/// 1. As above; the bytes of `from` are initialised.
#[inline]
pub(crate) unsafe fn upload(
    stream: CUstream,
    from: *const c_void,
    to: CUdeviceptr,
    bytes: usize,
) -> Result {
    // SAFETY: the caller's obligation 1.
    unsafe { answer!(cuMemcpyHtoDAsync_v2(to, from, bytes, stream)) }.result()
}

/// Copies to the host.
///
/// # Safety
/// 1. As above; any bytes are a value of what lies at `to`.
#[inline]
pub(crate) unsafe fn download(
    stream: CUstream,
    from: CUdeviceptr,
    to: *mut c_void,
    bytes: usize,
) -> Result {
    // SAFETY: the caller's obligation 1.
    unsafe { answer!(cuMemcpyDtoHAsync_v2(to, from, bytes, stream)) }.result()
}

/// Copies on the device.
///
/// # Safety
/// 1. As above; the two ranges do not overlap.
#[inline]
pub(crate) unsafe fn copy(
    stream: CUstream,
    from: CUdeviceptr,
    to: CUdeviceptr,
    bytes: usize,
) -> Result {
    // SAFETY: the caller's obligation 1.
    unsafe { answer!(cuMemcpyDtoDAsync_v2(to, from, bytes, stream)) }.result()
}

/// The call that fills with elements of this size.
#[inline]
pub(crate) const fn fill_call(size: usize) -> &'static str {
    match size {
        1 => name!(cuMemsetD8Async),
        2 => name!(cuMemsetD16Async),
        _ => name!(cuMemsetD32Async),
    }
}

/// Sets `len` elements, each of which has the bytes `value`: 1, 2 or 4 of them.
///
/// # Safety
/// 1. As above; the bytes are a value of the element.
#[inline]
pub(crate) unsafe fn fill(stream: CUstream, to: CUdeviceptr, value: &[u8], len: usize) -> Result {
    let answer = match *value {
        // SAFETY: the caller's obligation 1.
        [a] => unsafe { answer!(cuMemsetD8Async(to, a, len, stream)) },
        [a, b] => {
            let value = u16::from_ne_bytes([a, b]);
            // SAFETY: the caller's obligation 1, of `len` 16-bit elements.
            unsafe { answer!(cuMemsetD16Async(to, value, len, stream)) }
        }
        [a, b, c, d] => {
            let value = u32::from_ne_bytes([a, b, c, d]);
            // SAFETY: the caller's obligation 1, of `len` 32-bit elements.
            unsafe { answer!(cuMemsetD32Async(to, value, len, stream)) }
        }
        // Excluded at compile time by the callers.
        _ => Answer::new(fill_call(value.len()), ffi::CUDA_ERROR_INVALID_VALUE),
    };
    answer.result()
}

/// The lengths of what a copy copies.
#[inline]
pub(crate) fn same_len(call: &'static str, from: usize, to: usize) -> Result {
    if from == to { Ok(()) } else { Err(Error::LengthMismatch { call, from, to }) }
}

/// The error of a call for which the driver compares the contexts itself, and answers as for a handle that is
/// none (F32, F36).
pub(crate) fn refused(answer: Answer, same: bool) -> Result {
    if answer.code == ffi::CUDA_ERROR_INVALID_HANDLE {
        same_context(answer.call, same)?;
    }
    answer.result()
}

/// Whether what an operation uses is of its context: brands can coincide where a guard's place is leaked,
/// handles cannot (invariant `own-context`).
#[inline]
pub(crate) fn same_context(call: &'static str, same: bool) -> Result {
    if same { Ok(()) } else { Err(Error::OtherContext { call }) }
}
