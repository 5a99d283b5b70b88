//! Memory that is allocated and freed in the order of a stream, and its pools.

use crate::types::*;
use core::ffi::c_void;

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! stream_ordered_memory_functions { ($with:path) => { $with! {
    /// Allocates from the device's pool, usable after this point of the stream.
    11020 fn cuMemAllocAsync(dptr: *mut CUdeviceptr, bytesize: usize, hStream: CUstream) -> CUresult;
    /// Allocates from a pool, usable after this point of the stream.
    11020 fn cuMemAllocFromPoolAsync(dptr: *mut CUdeviceptr, bytesize: usize, pool: CUmemoryPool, hStream: CUstream) -> CUresult;
    /// Frees after what the stream holds so far.
    11020 fn cuMemFreeAsync(dptr: CUdeviceptr, hStream: CUstream) -> CUresult;
    /// Creates a pool.
    11020 fn cuMemPoolCreate(pool: *mut CUmemoryPool, poolProps: *const CUmemPoolProps) -> CUresult;
    /// Destroys a pool, once what it allocated is freed; does not wait.
    11020 fn cuMemPoolDestroy(pool: CUmemoryPool) -> CUresult;
    /// Gives unused memory of a pool back to the system, down to `minBytesToKeep`.
    11020 fn cuMemPoolTrimTo(pool: CUmemoryPool, minBytesToKeep: usize) -> CUresult;
    /// Sets an attribute of a pool from `value`, whose type depends on the attribute.
    11020 fn cuMemPoolSetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: *mut c_void) -> CUresult;
    /// Writes an attribute of a pool to `value`, whose type depends on the attribute.
    11020 fn cuMemPoolGetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: *mut c_void) -> CUresult;
    /// Sets which devices may access what a pool allocates, by `count` descriptors.
    11020 fn cuMemPoolSetAccess(pool: CUmemoryPool, map: *const CUmemAccessDesc, count: usize) -> CUresult;
    /// The access that a location has to what a pool allocates.
    11020 fn cuMemPoolGetAccess(flags: *mut CUmemAccess_flags, memPool: CUmemoryPool, location: *mut CUmemLocation) -> CUresult;
    /// Exports a pool for another process; `flags` must be 0.
    11020 fn cuMemPoolExportToShareableHandle(handle_out: *mut c_void, pool: CUmemoryPool, handleType: CUmemAllocationHandleType, flags: u64) -> CUresult;
    /// Imports a pool of another process, which cannot allocate here; `flags` must be 0.
    11020 fn cuMemPoolImportFromShareableHandle(pool_out: *mut CUmemoryPool, handle: *mut c_void, handleType: CUmemAllocationHandleType, flags: u64) -> CUresult;
    /// Describes an allocation of an exported pool for another process.
    11020 fn cuMemPoolExportPointer(shareData_out: *mut CUmemPoolPtrExportData, ptr: CUdeviceptr) -> CUresult;
    /// The address here of an allocation that another process described.
    11020 fn cuMemPoolImportPointer(ptr_out: *mut CUdeviceptr, pool: CUmemoryPool, shareData: *mut CUmemPoolPtrExportData) -> CUresult;
    /// Sets the pool that `cuMemAllocAsync` uses on a device.
    11020 fn cuDeviceSetMemPool(dev: CUdevice, pool: CUmemoryPool) -> CUresult;
    /// The pool that `cuMemAllocAsync` uses on a device.
    11020 fn cuDeviceGetMemPool(pool: *mut CUmemoryPool, dev: CUdevice) -> CUresult;
    /// The pool that a device has from the start.
    11020 fn cuDeviceGetDefaultMemPool(pool_out: *mut CUmemoryPool, dev: CUdevice) -> CUresult;
} } }
stream_ordered_memory_functions!(declare);

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! stream_ordered_memory_newer_functions { ($with:path) => { $with! {
    /// The pool that a location has from the start for a type of memory.
    13000 fn cuMemGetDefaultMemPool(pool_out: *mut CUmemoryPool, location: *mut CUmemLocation, type_: CUmemAllocationType) -> CUresult;
    /// The pool that is set for a location and a type of memory.
    13000 fn cuMemGetMemPool(pool: *mut CUmemoryPool, location: *mut CUmemLocation, type_: CUmemAllocationType) -> CUresult;
    /// Sets the pool of a location for a type of memory.
    13000 fn cuMemSetMemPool(location: *mut CUmemLocation, type_: CUmemAllocationType, pool: CUmemoryPool) -> CUresult;
} } }
stream_ordered_memory_newer_functions!(lookup);
