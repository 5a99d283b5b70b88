//! Memory: allocation, copies, fills.

use crate::{CUdeviceptr, CUresult, CUstream};
use core::ffi::{c_uchar, c_uint, c_ushort, c_void};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! memory_functions { ($with:path) => { $with! {
    /// Allocates device memory in the current context.
    fn cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: usize) -> CUresult;
    /// Frees device memory of whatever context, once all work of that context is finished.
    fn cuMemFree_v2(dptr: CUdeviceptr) -> CUresult;
    /// Free and total memory of the current context's device, in bytes.
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> CUresult;
    /// Start and size of the allocation that an address lies in.
    fn cuMemGetAddressRange_v2(pbase: *mut CUdeviceptr, psize: *mut usize, dptr: CUdeviceptr) -> CUresult;
    /// Allocates page-locked host memory; the end of the context unmaps it.
    fn cuMemAllocHost_v2(pp: *mut *mut c_void, bytesize: usize) -> CUresult;
    /// Frees page-locked host memory.
    fn cuMemFreeHost(p: *mut c_void) -> CUresult;
    /// Copies from host to device.
    fn cuMemcpyHtoD_v2(dstDevice: CUdeviceptr, srcHost: *const c_void, ByteCount: usize) -> CUresult;
    /// Copies from device to host.
    fn cuMemcpyDtoH_v2(dstHost: *mut c_void, srcDevice: CUdeviceptr, ByteCount: usize) -> CUresult;
    /// Copies on the device.
    fn cuMemcpyDtoD_v2(dstDevice: CUdeviceptr, srcDevice: CUdeviceptr, ByteCount: usize) -> CUresult;
    /// Copies from host to device, in the order of a stream.
    fn cuMemcpyHtoDAsync_v2(dstDevice: CUdeviceptr, srcHost: *const c_void, ByteCount: usize, hStream: CUstream) -> CUresult;
    /// Copies from device to host, in the order of a stream.
    fn cuMemcpyDtoHAsync_v2(dstHost: *mut c_void, srcDevice: CUdeviceptr, ByteCount: usize, hStream: CUstream) -> CUresult;
    /// Copies on the device, in the order of a stream.
    fn cuMemcpyDtoDAsync_v2(dstDevice: CUdeviceptr, srcDevice: CUdeviceptr, ByteCount: usize, hStream: CUstream) -> CUresult;
    /// Writes `N` bytes `uc`.
    fn cuMemsetD8_v2(dstDevice: CUdeviceptr, uc: c_uchar, N: usize) -> CUresult;
    /// Writes `N` 16-bit values `us`.
    fn cuMemsetD16_v2(dstDevice: CUdeviceptr, us: c_ushort, N: usize) -> CUresult;
    /// Writes `N` 32-bit values `ui`.
    fn cuMemsetD32_v2(dstDevice: CUdeviceptr, ui: c_uint, N: usize) -> CUresult;
    /// Writes `N` bytes `uc`, in the order of a stream.
    fn cuMemsetD8Async(dstDevice: CUdeviceptr, uc: c_uchar, N: usize, hStream: CUstream) -> CUresult;
    /// Writes `N` 16-bit values `us`, in the order of a stream.
    fn cuMemsetD16Async(dstDevice: CUdeviceptr, us: c_ushort, N: usize, hStream: CUstream) -> CUresult;
    /// Writes `N` 32-bit values `ui`, in the order of a stream.
    fn cuMemsetD32Async(dstDevice: CUdeviceptr, ui: c_uint, N: usize, hStream: CUstream) -> CUresult;
} } }
memory_functions!(declare);
