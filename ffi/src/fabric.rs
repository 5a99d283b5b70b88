//! The fabric that joins devices: its cliques, logical endpoints, and copies to them.

use crate::types::*;
use core::ffi::{c_int, c_void};

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! fabric_newer_functions { ($with:path) => { $with! {
    /// The identity of the fabric cluster that a device is in.
    13040 fn cuDeviceGetFabricClusterUuid(uuid: *mut CUuuid, dev: CUdevice) -> CUresult;
    /// The number of fabric cliques that a device is in.
    13040 fn cuDeviceGetCliqueCount(count: *mut usize, dev: CUdevice) -> CUresult;
    /// The fabric cliques that a device is in. In: entries of `cliqueInfo`; out: entries written.
    13040 fn cuDeviceGetCliqueInfo(cliqueInfo: *mut CUcliqueInfo, count: *mut usize, dev: CUdevice) -> CUresult;
    /// Reserves `count` successive ids and tells the first.
    13030 fn cuLogicalEndpointIdReserve(baseLeId: *mut CUlogicalEndpointId, count: cuuint32_t) -> CUresult;
    /// Gives `count` reserved ids back.
    13030 fn cuLogicalEndpointIdRelease(baseLeId: CUlogicalEndpointId, count: cuuint32_t) -> CUresult;
    /// Creates an endpoint, of one device or of several, under a reserved id.
    13030 fn cuLogicalEndpointCreate(leId: CUlogicalEndpointId, prop: *const CUlogicalEndpointProp) -> CUresult;
    /// Adds a device to a multicast endpoint, for good.
    13030 fn cuLogicalEndpointAddDevice(leId: CUlogicalEndpointId, dev: CUdevice) -> CUresult;
    /// Destroys an endpoint; its id remains reserved.
    13030 fn cuLogicalEndpointDestroy(leId: CUlogicalEndpointId) -> CUresult;
    /// Binds the `size` bytes that are mapped at an address to a device's part of an endpoint.
    13030 fn cuLogicalEndpointBindAddr(leId: CUlogicalEndpointId, dev: CUdevice, offset: cuuint64_t, ptr: *mut c_void, size: cuuint64_t, flags: u64) -> CUresult;
    /// Binds `size` bytes of physical memory to a device's part of an endpoint.
    13030 fn cuLogicalEndpointBindMem(leId: CUlogicalEndpointId, dev: CUdevice, offset: cuuint64_t, memHandle: CUmemGenericAllocationHandle, memOffset: cuuint64_t, size: cuuint64_t, flags: u64) -> CUresult;
    /// Unbinds `size` bytes of a device at an offset of an endpoint.
    13030 fn cuLogicalEndpointUnbind(leId: CUlogicalEndpointId, dev: CUdevice, offset: cuuint64_t, size: cuuint64_t) -> CUresult;
    /// Writes a handle by which another process can import an endpoint.
    13030 fn cuLogicalEndpointExport(handle: *mut c_void, leId: CUlogicalEndpointId, handleType: CUlogicalEndpointIpcHandleType) -> CUresult;
    /// Imports an endpoint of another process under a reserved id.
    13030 fn cuLogicalEndpointImport(leId: CUlogicalEndpointId, handle: *const c_void, handleType: CUlogicalEndpointIpcHandleType) -> CUresult;
    /// For endpoints with these properties, the alignment of bindings and the largest size, in bytes.
    13030 fn cuLogicalEndpointGetLimits(bindAlignment: *mut cuuint64_t, maxSize: *mut cuuint64_t, prop: *const CUlogicalEndpointProp) -> CUresult;
    /// Writes whether `count` successive endpoints are all ready, 0 or not 0; they must not be used before.
    13030 fn cuLogicalEndpointQuery(leId: CUlogicalEndpointId, count: cuuint32_t, queryStatus: *mut c_int) -> CUresult;
    /// Enqueues `numOps` copies between addresses and logical endpoints, in no order among themselves.
    13050 fn cuFabricCpyBatchAsync(numOps: usize, opList: *mut CUDA_FABRIC_COPY_BATCH_OP, flags: u64, hStream: CUstream) -> CUresult;
} } }
fabric_newer_functions!(lookup);
