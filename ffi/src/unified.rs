//! Unified addressing: what an address is, and where its memory should be.

use crate::types::*;
use core::ffi::{c_uint, c_void};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! unified_functions { ($with:path) => { $with! {
    /// Writes one attribute of an address to `data`, whose type depends on the attribute.
    4000 fn cuPointerGetAttribute(data: *mut c_void, attribute: CUpointer_attribute, ptr: CUdeviceptr) -> CUresult;
    /// Writes several attributes of an address, each to its element of `data`.
    7000 fn cuPointerGetAttributes(numAttributes: c_uint, attributes: *mut CUpointer_attribute, data: *mut *mut c_void, ptr: CUdeviceptr) -> CUresult;
    /// Sets an attribute of the allocation that an address lies in.
    6000 fn cuPointerSetAttribute(value: *const c_void, attribute: CUpointer_attribute, ptr: CUdeviceptr) -> CUresult;
    /// Moves `count` bytes of managed memory to a device, or to the host (`CU_DEVICE_CPU`), in the order of a stream.
    8000 fn cuMemPrefetchAsync(devPtr: CUdeviceptr, count: usize, dstDevice: CUdevice, hStream: CUstream) -> CUresult;
    /// Tells how `count` bytes of managed memory will be used, and by which device.
    8000 fn cuMemAdvise(devPtr: CUdeviceptr, count: usize, advice: CUmem_advise, device: CUdevice) -> CUresult;
    /// Writes one attribute of a range of managed memory to `data`, of `dataSize` bytes.
    8000 fn cuMemRangeGetAttribute(data: *mut c_void, dataSize: usize, attribute: CUmem_range_attribute, devPtr: CUdeviceptr, count: usize) -> CUresult;
    /// Writes several attributes of a range of managed memory, each to its element of `data`.
    8000 fn cuMemRangeGetAttributes(data: *mut *mut c_void, dataSizes: *mut usize, attributes: *mut CUmem_range_attribute, numAttributes: usize, devPtr: CUdeviceptr, count: usize) -> CUresult;
} } }
unified_functions!(declare);

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! unified_newer_functions { ($with:path) => { $with! {
    /// Moves `count` bytes of managed memory to a location, in the order of a stream; `flags` must be 0.
    12020 fn cuMemPrefetchAsync_v2(devPtr: CUdeviceptr, count: usize, location: CUmemLocation, flags: c_uint, hStream: CUstream) -> CUresult;
    /// Tells how `count` bytes of managed memory will be used, and from which location.
    12020 fn cuMemAdvise_v2(devPtr: CUdeviceptr, count: usize, advice: CUmem_advise, location: CUmemLocation) -> CUresult;
    /// Moves `count` ranges of managed memory to locations, in the order of a stream; `flags` must be 0.
    13000 fn cuMemPrefetchBatchAsync(dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, prefetchLocs: *mut CUmemLocation, prefetchLocIdxs: *mut usize, numPrefetchLocs: usize, flags: u64, hStream: CUstream) -> CUresult;
    /// Declares the contents of `count` ranges of managed memory worthless, in the order of a stream; `flags` must be 0.
    13000 fn cuMemDiscardBatchAsync(dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, flags: u64, hStream: CUstream) -> CUresult;
    /// Discards the contents of `count` ranges of managed memory and moves them, in the order of a stream; `flags` must be 0.
    13000 fn cuMemDiscardAndPrefetchBatchAsync(dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, prefetchLocs: *mut CUmemLocation, prefetchLocIdxs: *mut usize, numPrefetchLocs: usize, flags: u64, hStream: CUstream) -> CUresult;
    /// Where the memory of a range mostly is, one location for every `summaryGranularity` bytes, from samples.
    13040 fn cuMemGetLocationInfo(ptr: CUdeviceptr, size: usize, summaryGranularity: usize, samplingGranularity: usize, location_out: *mut CUmemLocation) -> CUresult;
} } }
unified_newer_functions!(lookup);

// skipped cuMemPrefetchAsync_ptsz: the form for a default stream of each thread
