//! Virtual memory: address ranges, physical memory, and mapping one to the other.

use crate::types::*;
use core::ffi::{c_uint, c_void};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! virtual_memory_functions { ($with:path) => { $with! {
    /// Reserves a range of `size` bytes of addresses; `addr` is a wish or 0, `flags` must be 0.
    10020 fn cuMemAddressReserve(ptr: *mut CUdeviceptr, size: usize, alignment: usize, addr: CUdeviceptr, flags: u64) -> CUresult;
    /// Gives a reserved range of addresses back.
    10020 fn cuMemAddressFree(ptr: CUdeviceptr, size: usize) -> CUresult;
    /// Allocates `size` bytes of physical memory, a multiple of the granularity; `flags` must be 0.
    10020 fn cuMemCreate(handle: *mut CUmemGenericAllocationHandle, size: usize, prop: *const CUmemAllocationProp, flags: u64) -> CUresult;
    /// Gives a handle of physical memory back; the memory lives while it is mapped.
    10020 fn cuMemRelease(handle: CUmemGenericAllocationHandle) -> CUresult;
    /// Maps `size` bytes of physical memory into a reserved range, without access to it; `offset` and `flags` must be 0.
    10020 fn cuMemMap(ptr: CUdeviceptr, size: usize, offset: usize, handle: CUmemGenericAllocationHandle, flags: u64) -> CUresult;
    /// Maps or unmaps `count` pieces of sparse arrays, in the order of a stream.
    11010 fn cuMemMapArrayAsync(mapInfoList: *mut CUarrayMapInfo, count: c_uint, hStream: CUstream) -> CUresult;
    /// Unmaps a range, which must hold whole mappings.
    10020 fn cuMemUnmap(ptr: CUdeviceptr, size: usize) -> CUresult;
    /// Sets who may access a mapped range, by `count` descriptors.
    10020 fn cuMemSetAccess(ptr: CUdeviceptr, size: usize, desc: *const CUmemAccessDesc, count: usize) -> CUresult;
    /// The access that a location has to an address, as a `CUmemAccess_flags`.
    10020 fn cuMemGetAccess(flags: *mut u64, location: *const CUmemLocation, ptr: CUdeviceptr) -> CUresult;
    /// Exports physical memory for another process: a file descriptor, a Windows handle or a fabric handle.
    10020 fn cuMemExportToShareableHandle(shareableHandle: *mut c_void, handle: CUmemGenericAllocationHandle, handleType: CUmemAllocationHandleType, flags: u64) -> CUresult;
    /// Imports physical memory that another process exported.
    10020 fn cuMemImportFromShareableHandle(handle: *mut CUmemGenericAllocationHandle, osHandle: *mut c_void, shHandleType: CUmemAllocationHandleType) -> CUresult;
    /// Bytes that sizes and addresses must be multiples of, or had better be.
    10020 fn cuMemGetAllocationGranularity(granularity: *mut usize, prop: *const CUmemAllocationProp, option: CUmemAllocationGranularity_flags) -> CUresult;
    /// The properties that physical memory was created with.
    10020 fn cuMemGetAllocationPropertiesFromHandle(prop: *mut CUmemAllocationProp, handle: CUmemGenericAllocationHandle) -> CUresult;
    /// The handle of what is mapped at an address; give it back with `cuMemRelease`.
    11000 fn cuMemRetainAllocationHandle(handle: *mut CUmemGenericAllocationHandle, addr: *mut c_void) -> CUresult;
} } }
virtual_memory_functions!(declare);
