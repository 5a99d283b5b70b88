//! Memory: allocation, arrays, copies, fills, and sharing between processes.

use crate::types::*;
use core::ffi::{c_uchar, c_uint, c_ushort, c_void};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! memory_functions { ($with:path) => { $with! {
    /// Free and total memory of the current context's device, in bytes.
    3020 fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> CUresult;
    /// Allocates device memory in the current context.
    3020 fn cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: usize) -> CUresult;
    /// Allocates rows of `WidthInBytes` bytes, with padding for alignment; `pPitch` receives the distance of rows in bytes.
    3020 fn cuMemAllocPitch_v2(dptr: *mut CUdeviceptr, pPitch: *mut usize, WidthInBytes: usize, Height: usize, ElementSizeBytes: c_uint) -> CUresult;
    /// Frees device memory of whatever context, once all work of that context is finished.
    3020 fn cuMemFree_v2(dptr: CUdeviceptr) -> CUresult;
    /// Start and size of the allocation that an address lies in.
    3020 fn cuMemGetAddressRange_v2(pbase: *mut CUdeviceptr, psize: *mut usize, dptr: CUdeviceptr) -> CUresult;
    /// Allocates page-locked host memory; the end of the context unmaps it.
    3020 fn cuMemAllocHost_v2(pp: *mut *mut c_void, bytesize: usize) -> CUresult;
    /// Frees page-locked host memory.
    2000 fn cuMemFreeHost(p: *mut c_void) -> CUresult;
    /// Allocates page-locked host memory, with flags: portable, mapped, write-combined.
    2020 fn cuMemHostAlloc(pp: *mut *mut c_void, bytesize: usize, Flags: c_uint) -> CUresult;
    /// The device address of page-locked host memory that is mapped; `Flags` must be 0.
    3020 fn cuMemHostGetDevicePointer_v2(pdptr: *mut CUdeviceptr, p: *mut c_void, Flags: c_uint) -> CUresult;
    /// The flags that page-locked host memory was allocated or registered with.
    2030 fn cuMemHostGetFlags(pFlags: *mut c_uint, p: *mut c_void) -> CUresult;
    /// Allocates memory that host and devices share and the driver migrates.
    6000 fn cuMemAllocManaged(dptr: *mut CUdeviceptr, bytesize: usize, flags: c_uint) -> CUresult;
    /// Locks the pages of `bytesize` bytes of host memory, for fast copies or to be mapped.
    6050 fn cuMemHostRegister_v2(p: *mut c_void, bytesize: usize, Flags: c_uint) -> CUresult;
    /// Unlocks what `cuMemHostRegister_v2` locked.
    4000 fn cuMemHostUnregister(p: *mut c_void) -> CUresult;
    /// Exports a range of device addresses to the rest of the system, as a dma-buf descriptor for instance.
    11070 fn cuMemGetHandleForAddressRange(handle: *mut c_void, dptr: CUdeviceptr, size: usize, handleType: CUmemRangeHandleType, flags: u64) -> CUresult;
    /// A handle by which another process can open an event, which must be an interprocess one.
    4010 fn cuIpcGetEventHandle(pHandle: *mut CUipcEventHandle, event: CUevent) -> CUresult;
    /// Opens an event of another process.
    4010 fn cuIpcOpenEventHandle(phEvent: *mut CUevent, handle: CUipcEventHandle) -> CUresult;
    /// A handle by which another process can map an allocation of `cuMemAlloc_v2`.
    4010 fn cuIpcGetMemHandle(pHandle: *mut CUipcMemHandle, dptr: CUdeviceptr) -> CUresult;
    /// Maps an allocation of another process into the current context.
    11000 fn cuIpcOpenMemHandle_v2(pdptr: *mut CUdeviceptr, handle: CUipcMemHandle, Flags: c_uint) -> CUresult;
    /// Unmaps what `cuIpcOpenMemHandle_v2` mapped.
    4010 fn cuIpcCloseMemHandle(dptr: CUdeviceptr) -> CUresult;
    /// Copies bytes; unified addresses tell what is host and what is device.
    4000 fn cuMemcpy(dst: CUdeviceptr, src: CUdeviceptr, ByteCount: usize) -> CUresult;
    /// Copies bytes from one context's memory to another's.
    4000 fn cuMemcpyPeer(dstDevice: CUdeviceptr, dstContext: CUcontext, srcDevice: CUdeviceptr, srcContext: CUcontext, ByteCount: usize) -> CUresult;
    /// Copies from host to device.
    3020 fn cuMemcpyHtoD_v2(dstDevice: CUdeviceptr, srcHost: *const c_void, ByteCount: usize) -> CUresult;
    /// Copies from device to host.
    3020 fn cuMemcpyDtoH_v2(dstHost: *mut c_void, srcDevice: CUdeviceptr, ByteCount: usize) -> CUresult;
    /// Copies on the device.
    3020 fn cuMemcpyDtoD_v2(dstDevice: CUdeviceptr, srcDevice: CUdeviceptr, ByteCount: usize) -> CUresult;
    /// Copies bytes from device memory into a 1D array, `dstOffset` bytes from its start.
    3020 fn cuMemcpyDtoA_v2(dstArray: CUarray, dstOffset: usize, srcDevice: CUdeviceptr, ByteCount: usize) -> CUresult;
    /// Copies bytes from a 1D array, `srcOffset` bytes from its start, to device memory.
    3020 fn cuMemcpyAtoD_v2(dstDevice: CUdeviceptr, srcArray: CUarray, srcOffset: usize, ByteCount: usize) -> CUresult;
    /// Copies bytes from host memory into a 1D array, `dstOffset` bytes from its start.
    3020 fn cuMemcpyHtoA_v2(dstArray: CUarray, dstOffset: usize, srcHost: *const c_void, ByteCount: usize) -> CUresult;
    /// Copies bytes from a 1D array, `srcOffset` bytes from its start, to host memory.
    3020 fn cuMemcpyAtoH_v2(dstHost: *mut c_void, srcArray: CUarray, srcOffset: usize, ByteCount: usize) -> CUresult;
    /// Copies bytes from one 1D array to another; the offsets are in bytes.
    3020 fn cuMemcpyAtoA_v2(dstArray: CUarray, dstOffset: usize, srcArray: CUarray, srcOffset: usize, ByteCount: usize) -> CUresult;
    /// Copies a rectangle between host, device and array.
    3020 fn cuMemcpy2D_v2(pCopy: *const CUDA_MEMCPY2D) -> CUresult;
    /// As `cuMemcpy2D_v2`, for any pitch; may be slower.
    3020 fn cuMemcpy2DUnaligned_v2(pCopy: *const CUDA_MEMCPY2D) -> CUresult;
    /// Copies a box between host, device and array.
    3020 fn cuMemcpy3D_v2(pCopy: *const CUDA_MEMCPY3D) -> CUresult;
    /// Copies a box between the memories of two contexts.
    4000 fn cuMemcpy3DPeer(pCopy: *const CUDA_MEMCPY3D_PEER) -> CUresult;
    /// As `cuMemcpy`, in the order of a stream.
    4000 fn cuMemcpyAsync(dst: CUdeviceptr, src: CUdeviceptr, ByteCount: usize, hStream: CUstream) -> CUresult;
    /// As `cuMemcpyPeer`, in the order of a stream.
    4000 fn cuMemcpyPeerAsync(dstDevice: CUdeviceptr, dstContext: CUcontext, srcDevice: CUdeviceptr, srcContext: CUcontext, ByteCount: usize, hStream: CUstream) -> CUresult;
    /// Copies from host to device, in the order of a stream.
    3020 fn cuMemcpyHtoDAsync_v2(dstDevice: CUdeviceptr, srcHost: *const c_void, ByteCount: usize, hStream: CUstream) -> CUresult;
    /// Copies from device to host, in the order of a stream.
    3020 fn cuMemcpyDtoHAsync_v2(dstHost: *mut c_void, srcDevice: CUdeviceptr, ByteCount: usize, hStream: CUstream) -> CUresult;
    /// Copies on the device, in the order of a stream.
    3020 fn cuMemcpyDtoDAsync_v2(dstDevice: CUdeviceptr, srcDevice: CUdeviceptr, ByteCount: usize, hStream: CUstream) -> CUresult;
    /// As `cuMemcpyHtoA_v2`, in the order of a stream.
    3020 fn cuMemcpyHtoAAsync_v2(dstArray: CUarray, dstOffset: usize, srcHost: *const c_void, ByteCount: usize, hStream: CUstream) -> CUresult;
    /// As `cuMemcpyAtoH_v2`, in the order of a stream.
    3020 fn cuMemcpyAtoHAsync_v2(dstHost: *mut c_void, srcArray: CUarray, srcOffset: usize, ByteCount: usize, hStream: CUstream) -> CUresult;
    /// As `cuMemcpy2D_v2`, in the order of a stream.
    3020 fn cuMemcpy2DAsync_v2(pCopy: *const CUDA_MEMCPY2D, hStream: CUstream) -> CUresult;
    /// As `cuMemcpy3D_v2`, in the order of a stream.
    3020 fn cuMemcpy3DAsync_v2(pCopy: *const CUDA_MEMCPY3D, hStream: CUstream) -> CUresult;
    /// As `cuMemcpy3DPeer`, in the order of a stream.
    4000 fn cuMemcpy3DPeerAsync(pCopy: *const CUDA_MEMCPY3D_PEER, hStream: CUstream) -> CUresult;
    /// Writes `N` bytes `uc`.
    3020 fn cuMemsetD8_v2(dstDevice: CUdeviceptr, uc: c_uchar, N: usize) -> CUresult;
    /// Writes `N` 16-bit values `us`.
    3020 fn cuMemsetD16_v2(dstDevice: CUdeviceptr, us: c_ushort, N: usize) -> CUresult;
    /// Writes `N` 32-bit values `ui`.
    3020 fn cuMemsetD32_v2(dstDevice: CUdeviceptr, ui: c_uint, N: usize) -> CUresult;
    /// Writes `Height` rows of `Width` bytes `uc`; rows are `dstPitch` bytes apart.
    3020 fn cuMemsetD2D8_v2(dstDevice: CUdeviceptr, dstPitch: usize, uc: c_uchar, Width: usize, Height: usize) -> CUresult;
    /// Writes `Height` rows of `Width` 16-bit values `us`; rows are `dstPitch` bytes apart.
    3020 fn cuMemsetD2D16_v2(dstDevice: CUdeviceptr, dstPitch: usize, us: c_ushort, Width: usize, Height: usize) -> CUresult;
    /// Writes `Height` rows of `Width` 32-bit values `ui`; rows are `dstPitch` bytes apart.
    3020 fn cuMemsetD2D32_v2(dstDevice: CUdeviceptr, dstPitch: usize, ui: c_uint, Width: usize, Height: usize) -> CUresult;
    /// Writes `N` bytes `uc`, in the order of a stream.
    3020 fn cuMemsetD8Async(dstDevice: CUdeviceptr, uc: c_uchar, N: usize, hStream: CUstream) -> CUresult;
    /// Writes `N` 16-bit values `us`, in the order of a stream.
    3020 fn cuMemsetD16Async(dstDevice: CUdeviceptr, us: c_ushort, N: usize, hStream: CUstream) -> CUresult;
    /// Writes `N` 32-bit values `ui`, in the order of a stream.
    3020 fn cuMemsetD32Async(dstDevice: CUdeviceptr, ui: c_uint, N: usize, hStream: CUstream) -> CUresult;
    /// As `cuMemsetD2D8_v2`, in the order of a stream.
    3020 fn cuMemsetD2D8Async(dstDevice: CUdeviceptr, dstPitch: usize, uc: c_uchar, Width: usize, Height: usize, hStream: CUstream) -> CUresult;
    /// As `cuMemsetD2D16_v2`, in the order of a stream.
    3020 fn cuMemsetD2D16Async(dstDevice: CUdeviceptr, dstPitch: usize, us: c_ushort, Width: usize, Height: usize, hStream: CUstream) -> CUresult;
    /// As `cuMemsetD2D32_v2`, in the order of a stream.
    3020 fn cuMemsetD2D32Async(dstDevice: CUdeviceptr, dstPitch: usize, ui: c_uint, Width: usize, Height: usize, hStream: CUstream) -> CUresult;
    /// Creates a 1D or 2D array.
    3020 fn cuArrayCreate_v2(pHandle: *mut CUarray, pAllocateArray: *const CUDA_ARRAY_DESCRIPTOR) -> CUresult;
    /// Shape and format of a 1D or 2D array.
    3020 fn cuArrayGetDescriptor_v2(pArrayDescriptor: *mut CUDA_ARRAY_DESCRIPTOR, hArray: CUarray) -> CUresult;
    /// The tiles and the tail of mip levels of a sparse array, in elements and bytes.
    11010 fn cuArrayGetSparseProperties(sparseProperties: *mut CUDA_ARRAY_SPARSE_PROPERTIES, array: CUarray) -> CUresult;
    /// As `cuArrayGetSparseProperties`, of a mipmapped array.
    11010 fn cuMipmappedArrayGetSparseProperties(sparseProperties: *mut CUDA_ARRAY_SPARSE_PROPERTIES, mipmap: CUmipmappedArray) -> CUresult;
    /// Size and alignment in bytes of the memory that an array with deferred mapping needs.
    11060 fn cuArrayGetMemoryRequirements(memoryRequirements: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS, array: CUarray, device: CUdevice) -> CUresult;
    /// As `cuArrayGetMemoryRequirements`, of a mipmapped array.
    11060 fn cuMipmappedArrayGetMemoryRequirements(memoryRequirements: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS, mipmap: CUmipmappedArray, device: CUdevice) -> CUresult;
    /// One plane of an array whose format has several, as an array that lives no longer.
    11020 fn cuArrayGetPlane(pPlaneArray: *mut CUarray, hArray: CUarray, planeIdx: c_uint) -> CUresult;
    /// Destroys an array.
    2000 fn cuArrayDestroy(hArray: CUarray) -> CUresult;
    /// Creates an array of up to three dimensions, layered or cube map too.
    3020 fn cuArray3DCreate_v2(pHandle: *mut CUarray, pAllocateArray: *const CUDA_ARRAY3D_DESCRIPTOR) -> CUresult;
    /// Shape, format and flags of an array.
    3020 fn cuArray3DGetDescriptor_v2(pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR, hArray: CUarray) -> CUresult;
    /// Creates an array of `numMipmapLevels` levels, each half as large as the one before.
    5000 fn cuMipmappedArrayCreate(pHandle: *mut CUmipmappedArray, pMipmappedArrayDesc: *const CUDA_ARRAY3D_DESCRIPTOR, numMipmapLevels: c_uint) -> CUresult;
    /// One level of a mipmapped array, as an array that lives no longer.
    5000 fn cuMipmappedArrayGetLevel(pLevelArray: *mut CUarray, hMipmappedArray: CUmipmappedArray, level: c_uint) -> CUresult;
    /// Destroys a mipmapped array.
    5000 fn cuMipmappedArrayDestroy(hMipmappedArray: CUmipmappedArray) -> CUresult;
} } }
memory_functions!(declare);

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! memory_newer_functions { ($with:path) => { $with! {
    /// Enqueues `count` decompressions; `errorIndex` receives the index of an entry that is wrong, and may be null.
    12060 fn cuMemBatchDecompressAsync(paramsArray: *mut CUmemDecompressParams, count: usize, flags: c_uint, errorIndex: *mut usize, stream: CUstream) -> CUresult;
    /// Enqueues `count` copies in no order among themselves; `failIdx` receives the index of one that is wrong.
    12080 fn cuMemcpyBatchAsync(dsts: *mut CUdeviceptr, srcs: *mut CUdeviceptr, sizes: *mut usize, count: usize, attrs: *mut CUmemcpyAttributes, attrsIdxs: *mut usize, numAttrs: usize, failIdx: *mut usize, hStream: CUstream) -> CUresult;
    /// Enqueues `count` copies in no order among themselves. `attrsIdxs` says at which copy each of the attributes begins to hold.
    13000 fn cuMemcpyBatchAsync_v2(dsts: *mut CUdeviceptr, srcs: *mut CUdeviceptr, sizes: *mut usize, count: usize, attrs: *mut CUmemcpyAttributes, attrsIdxs: *mut usize, numAttrs: usize, hStream: CUstream) -> CUresult;
    /// Enqueues `numOps` copies of boxes in no order among themselves; `failIdx` receives the index of one that is wrong.
    12080 fn cuMemcpy3DBatchAsync(numOps: usize, opList: *mut CUDA_MEMCPY3D_BATCH_OP, failIdx: *mut usize, flags: u64, hStream: CUstream) -> CUresult;
    /// Enqueues `numOps` copies of boxes in no order among themselves; `flags` must be 0.
    13000 fn cuMemcpy3DBatchAsync_v2(numOps: usize, opList: *mut CUDA_MEMCPY3D_BATCH_OP, flags: u64, hStream: CUstream) -> CUresult;
    /// Enqueues one copy of `size` bytes with attributes, such as when the source is read.
    13020 fn cuMemcpyWithAttributesAsync(dst: CUdeviceptr, src: CUdeviceptr, size: usize, attr: *mut CUmemcpyAttributes, hStream: CUstream) -> CUresult;
    /// Enqueues one copy of a box with attributes; `flags` must be 0.
    13020 fn cuMemcpy3DWithAttributesAsync(op: *mut CUDA_MEMCPY3D_BATCH_OP, flags: u64, hStream: CUstream) -> CUresult;
} } }
memory_newer_functions!(lookup);

// skipped cuIpcOpenMemHandle: superseded by cuIpcOpenMemHandle_v2
// skipped cuMemHostRegister: superseded by cuMemHostRegister_v2
// skipped cuMemcpyBatchAsync_ptsz: the form for a default stream of each thread
// skipped cuMemcpy3DBatchAsync_ptsz: the form for a default stream of each thread
// skipped cuMemGetInfo: 32-bit addresses or sizes; superseded by cuMemGetInfo_v2
// skipped cuMemAlloc: 32-bit addresses or sizes; superseded by cuMemAlloc_v2
// skipped cuMemAllocPitch: 32-bit addresses or sizes; superseded by cuMemAllocPitch_v2
// skipped cuMemFree: 32-bit addresses or sizes; superseded by cuMemFree_v2
// skipped cuMemGetAddressRange: 32-bit addresses or sizes; superseded by cuMemGetAddressRange_v2
// skipped cuMemAllocHost: 32-bit sizes; superseded by cuMemAllocHost_v2
// skipped cuMemHostGetDevicePointer: 32-bit addresses or sizes; superseded by cuMemHostGetDevicePointer_v2
// skipped cuMemcpyHtoD: 32-bit addresses or sizes; superseded by cuMemcpyHtoD_v2
// skipped cuMemcpyDtoH: 32-bit addresses or sizes; superseded by cuMemcpyDtoH_v2
// skipped cuMemcpyDtoD: 32-bit addresses or sizes; superseded by cuMemcpyDtoD_v2
// skipped cuMemcpyDtoA: 32-bit addresses or sizes; superseded by cuMemcpyDtoA_v2
// skipped cuMemcpyAtoD: 32-bit addresses or sizes; superseded by cuMemcpyAtoD_v2
// skipped cuMemcpyHtoA: 32-bit addresses or sizes; superseded by cuMemcpyHtoA_v2
// skipped cuMemcpyAtoH: 32-bit addresses or sizes; superseded by cuMemcpyAtoH_v2
// skipped cuMemcpyAtoA: 32-bit addresses or sizes; superseded by cuMemcpyAtoA_v2
// skipped cuMemcpyHtoAAsync: 32-bit addresses or sizes; superseded by cuMemcpyHtoAAsync_v2
// skipped cuMemcpyAtoHAsync: 32-bit addresses or sizes; superseded by cuMemcpyAtoHAsync_v2
// skipped cuMemcpy2D: 32-bit addresses or sizes; superseded by cuMemcpy2D_v2
// skipped cuMemcpy2DUnaligned: 32-bit addresses or sizes; superseded by cuMemcpy2DUnaligned_v2
// skipped cuMemcpy3D: 32-bit addresses or sizes; superseded by cuMemcpy3D_v2
// skipped cuMemcpyHtoDAsync: 32-bit addresses or sizes; superseded by cuMemcpyHtoDAsync_v2
// skipped cuMemcpyDtoHAsync: 32-bit addresses or sizes; superseded by cuMemcpyDtoHAsync_v2
// skipped cuMemcpyDtoDAsync: 32-bit addresses or sizes; superseded by cuMemcpyDtoDAsync_v2
// skipped cuMemcpy2DAsync: 32-bit addresses or sizes; superseded by cuMemcpy2DAsync_v2
// skipped cuMemcpy3DAsync: 32-bit addresses or sizes; superseded by cuMemcpy3DAsync_v2
// skipped cuMemsetD8: 32-bit addresses or sizes; superseded by cuMemsetD8_v2
// skipped cuMemsetD16: 32-bit addresses or sizes; superseded by cuMemsetD16_v2
// skipped cuMemsetD32: 32-bit addresses or sizes; superseded by cuMemsetD32_v2
// skipped cuMemsetD2D8: 32-bit addresses or sizes; superseded by cuMemsetD2D8_v2
// skipped cuMemsetD2D16: 32-bit addresses or sizes; superseded by cuMemsetD2D16_v2
// skipped cuMemsetD2D32: 32-bit addresses or sizes; superseded by cuMemsetD2D32_v2
// skipped cuArrayCreate: 32-bit addresses or sizes; superseded by cuArrayCreate_v2
// skipped cuArrayGetDescriptor: 32-bit addresses or sizes; superseded by cuArrayGetDescriptor_v2
// skipped cuArray3DCreate: 32-bit addresses or sizes; superseded by cuArray3DCreate_v2
// skipped cuArray3DGetDescriptor: 32-bit addresses or sizes; superseded by cuArray3DGetDescriptor_v2
