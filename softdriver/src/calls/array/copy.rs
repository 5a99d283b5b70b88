//! Copies of bytes from and to arrays of one dimension, or the first row of others (F364).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::memory::rows;
use crate::entry::Answer;
use crate::model::stream::Target;
use crate::model::usable;
use core::ffi::c_void;
use cuscope_sys::*;
use std::ptr;

/// An end of a copy.
#[derive(Clone, Copy)]
enum End {
    Host(*mut c_void),
    Device(CUdeviceptr),
    Array(CUarray, usize),
}

/// Copies one row.
fn copy(target: &Target, to: End, from: End, bytes: usize, later: bool) -> Answer {
    let mut copy = CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: CU_MEMORYTYPE_HOST,
        srcHost: ptr::null(),
        srcDevice: 0,
        srcArray: ptr::null_mut(),
        srcPitch: 0,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: CU_MEMORYTYPE_HOST,
        dstHost: ptr::null_mut(),
        dstDevice: 0,
        dstArray: ptr::null_mut(),
        dstPitch: 0,
        WidthInBytes: bytes,
        Height: 1,
    };
    match from {
        End::Host(host) => copy.srcHost = host,
        End::Device(device) => {
            (copy.srcMemoryType, copy.srcDevice) = (CU_MEMORYTYPE_DEVICE, device);
        }
        End::Array(array, at) => {
            copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
            (copy.srcArray, copy.srcXInBytes) = (array, at);
        }
    }
    match to {
        End::Host(host) => copy.dstHost = host,
        End::Device(device) => {
            (copy.dstMemoryType, copy.dstDevice) = (CU_MEMORYTYPE_DEVICE, device);
        }
        End::Array(array, at) => {
            copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
            (copy.dstArray, copy.dstXInBytes) = (array, at);
        }
    }
    rows::copy_described(target, copy.into(), later)
}

driver! {
    /// From the device.
    fn cuMemcpyDtoA_v2(
        dstArray: CUarray,
        dstOffset: usize,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) [needs_current] {
        let (to, from) = (End::Array(dstArray, dstOffset), End::Device(srcDevice));
        copy(&usable::null()?, to, from, ByteCount, false)
    }
    /// To the device.
    fn cuMemcpyAtoD_v2(
        dstDevice: CUdeviceptr,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) [needs_current] {
        let (to, from) = (End::Device(dstDevice), End::Array(srcArray, srcOffset));
        copy(&usable::null()?, to, from, ByteCount, false)
    }
    /// From the host.
    fn cuMemcpyHtoA_v2(
        dstArray: CUarray,
        dstOffset: usize,
        srcHost: *const c_void,
        ByteCount: usize,
    ) [needs_current] {
        let (to, from) = (End::Array(dstArray, dstOffset), End::Host(srcHost.cast_mut()));
        copy(&usable::null()?, to, from, ByteCount, false)
    }
    /// To the host.
    fn cuMemcpyAtoH_v2(
        dstHost: *mut c_void,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) [needs_current] {
        let (to, from) = (End::Host(dstHost), End::Array(srcArray, srcOffset));
        copy(&usable::null()?, to, from, ByteCount, false)
    }
    /// Between arrays.
    fn cuMemcpyAtoA_v2(
        dstArray: CUarray,
        dstOffset: usize,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) [needs_current] {
        let (to, from) = (End::Array(dstArray, dstOffset), End::Array(srcArray, srcOffset));
        copy(&usable::null()?, to, from, ByteCount, false)
    }
    /// From the host, in the order of a stream.
    fn cuMemcpyHtoAAsync_v2(
        dstArray: CUarray,
        dstOffset: usize,
        srcHost: *const c_void,
        ByteCount: usize,
        hStream: CUstream,
    ) [zero_is_current(4)] {
        let (to, from) = (End::Array(dstArray, dstOffset), End::Host(srcHost.cast_mut()));
        copy(&usable::target(hStream)?, to, from, ByteCount, true)
    }
    /// To the host, in the order of a stream.
    fn cuMemcpyAtoHAsync_v2(
        dstHost: *mut c_void,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
        hStream: CUstream,
    ) [zero_is_current(4)] {
        let (to, from) = (End::Host(dstHost), End::Array(srcArray, srcOffset));
        copy(&usable::target(hStream)?, to, from, ByteCount, true)
    }
}
