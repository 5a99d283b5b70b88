//! Memory and semaphores of other interfaces: Vulkan, Direct3D, NvSciSync and the like.

use crate::types::*;
use core::ffi::c_uint;

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! external_functions { ($with:path) => { $with! {
    /// Imports memory of another interface. A file descriptor that is imported belongs to the driver.
    10000 fn cuImportExternalMemory(extMem_out: *mut CUexternalMemory, memHandleDesc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC) -> CUresult;
    /// Maps a part of imported memory as linear memory; free it with `cuMemFree_v2`.
    10000 fn cuExternalMemoryGetMappedBuffer(devPtr: *mut CUdeviceptr, extMem: CUexternalMemory, bufferDesc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC) -> CUresult;
    /// Maps a part of imported memory as an array; destroy it with `cuMipmappedArrayDestroy`.
    10000 fn cuExternalMemoryGetMappedMipmappedArray(mipmap: *mut CUmipmappedArray, extMem: CUexternalMemory, mipmapDesc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC) -> CUresult;
    /// Destroys imported memory; what is mapped of it must be freed apart.
    10000 fn cuDestroyExternalMemory(extMem: CUexternalMemory) -> CUresult;
    /// Imports a semaphore of another interface. A file descriptor that is imported belongs to the driver.
    10000 fn cuImportExternalSemaphore(extSem_out: *mut CUexternalSemaphore, semHandleDesc: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) -> CUresult;
    /// Signals `numExtSems` semaphores, in the order of a stream.
    10000 fn cuSignalExternalSemaphoresAsync(extSemArray: *const CUexternalSemaphore, paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, numExtSems: c_uint, stream: CUstream) -> CUresult;
    /// Waits for `numExtSems` semaphores, in the order of a stream.
    10000 fn cuWaitExternalSemaphoresAsync(extSemArray: *const CUexternalSemaphore, paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, numExtSems: c_uint, stream: CUstream) -> CUresult;
    /// Destroys an imported semaphore, for which nothing may wait any more.
    10000 fn cuDestroyExternalSemaphore(extSem: CUexternalSemaphore) -> CUresult;
} } }
external_functions!(declare);
