//! Multicast objects: one address range that writes to the memory of several devices.

use crate::types::*;

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! multicast_newer_functions { ($with:path) => { $with! {
    /// Creates a multicast object for a number of devices.
    12010 fn cuMulticastCreate(mcHandle: *mut CUmemGenericAllocationHandle, prop: *const CUmulticastObjectProp) -> CUresult;
    /// Adds a device; all must be added before memory is bound.
    12010 fn cuMulticastAddDevice(mcHandle: CUmemGenericAllocationHandle, dev: CUdevice) -> CUresult;
    /// Binds `size` bytes of physical memory at an offset of the object; `flags` must be 0.
    12010 fn cuMulticastBindMem(mcHandle: CUmemGenericAllocationHandle, mcOffset: usize, memHandle: CUmemGenericAllocationHandle, memOffset: usize, size: usize, flags: u64) -> CUresult;
    /// As `cuMulticastBindMem`, for a given device.
    13010 fn cuMulticastBindMem_v2(mcHandle: CUmemGenericAllocationHandle, dev: CUdevice, mcOffset: usize, memHandle: CUmemGenericAllocationHandle, memOffset: usize, size: usize, flags: u64) -> CUresult;
    /// Binds the `size` bytes that are mapped at an address, at an offset of the object; `flags` must be 0.
    12010 fn cuMulticastBindAddr(mcHandle: CUmemGenericAllocationHandle, mcOffset: usize, memptr: CUdeviceptr, size: usize, flags: u64) -> CUresult;
    /// As `cuMulticastBindAddr`, for a given device.
    13010 fn cuMulticastBindAddr_v2(mcHandle: CUmemGenericAllocationHandle, dev: CUdevice, mcOffset: usize, memptr: CUdeviceptr, size: usize, flags: u64) -> CUresult;
    /// Unbinds `size` bytes of a device at an offset of the object.
    12010 fn cuMulticastUnbind(mcHandle: CUmemGenericAllocationHandle, dev: CUdevice, mcOffset: usize, size: usize) -> CUresult;
    /// Bytes that sizes and offsets must be multiples of, or had better be.
    12010 fn cuMulticastGetGranularity(granularity: *mut usize, prop: *const CUmulticastObjectProp, option: CUmulticastGranularity_flags) -> CUresult;
} } }
multicast_newer_functions!(lookup);
