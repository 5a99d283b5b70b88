//! Arguments and results of driver functions, and their way through C pointers.
#![allow(unsafe_code, reason = "results are written through the pointers that a C caller passes")]

use core::ffi::{CStr, c_char, c_int, c_uint};
use cuscope_sys::*;
#[cfg(unix)]
use std::ffi::OsStr;
use std::path::PathBuf;

/// The result of the body of a driver function.
pub(crate) type Answer<T = ()> = Result<T, CUresult>;

/// An argument that may be null or 0.
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
