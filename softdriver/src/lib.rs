//! A CUDA driver in software.
//!
//! The functions of the driver that `cuscope-sys` declares, answered on the CPU the way an NVIDIA
//! H200 with driver 580 answers them: the same results and the same codes, in the cases that the
//! manual leaves open too. Kernels are PTX and are interpreted. What is not implemented answers
//! NOT_SUPPORTED (801).
//!
//! The functions are exported with a prefix (`cuscope_soft_cuInit`), so that a real libcuda in the
//! same process is not disturbed. [`control`] tells tests what the driver saw.
//!
//! Variables of the environment, which the first `cuInit` reads and refuses if they make no sense:
//! `CUSCOPE_SOFT_DEVICES` says how many devices there are (2 by default); `CUSCOPE_SOFT_SEED` lets a
//! seed decide the order of asynchronous work, and has races reported ([`schedule`],
//! [`control::races`]); `CUSCOPE_SOFT_FAULT` says what goes wrong ([`faults::Plan`]);
//! `CUSCOPE_SOFT_REPORT=1` has what is alive at the exit told, `CUSCOPE_SOFT_SUMMARY=1` what was done and
//! what went wrong, `CUSCOPE_SOFT_CHECK=1` has every access checked for that; `CUSCOPE_SOFT_TRACE` names a file for a
//! trace of calls and work, for a trace viewer.
#![allow(non_snake_case, reason = "the names are those of cuda.h")]

mod affinity;
mod array;
mod attributes;
mod cache;
mod callback;
mod capture;
mod check;
mod context;
pub mod control;
mod coredump;
mod device;
mod device_attribute;
mod device_runtime;
mod domain;
mod driver;
mod entry;
mod entry_point;
mod environment;
mod event;
mod exports;
mod external;
pub mod faults;
mod function;
pub mod gl;
mod graph;
mod graphics;
mod green;
mod image;
mod ipc;
mod jit;
mod launch;
mod launch_attributes;
mod library;
mod life;
mod limits;
mod link;
mod logs;
mod memory;
mod module;
mod multi_device;
mod notification;
mod occupancy;
#[doc(hidden)]
pub mod older;
mod older_launch;
mod peer;
#[doc(hidden)]
pub mod per_thread;
mod plan;
mod primary;
mod print;
mod priority;
mod profiler;
mod ptx;
mod queue;
mod race;
mod registry;
mod report;
mod resource;
mod result;
mod rules;
pub mod schedule;
mod settings;
mod stack;
mod sticky;
mod stream;
mod stream_memory;
mod summary;
mod symbols;
mod sync;
mod tensor_map;
mod trace;
mod unified;
mod unsupported;
mod visible;

pub use affinity::{cuCtxGetExecAffinity, cuDeviceGetExecAffinitySupport};
pub use array::{
    cuArray3DCreate_v2, cuArray3DGetDescriptor_v2, cuArrayCreate_v2, cuArrayDestroy,
    cuArrayGetDescriptor_v2, cuArrayGetMemoryRequirements, cuArrayGetPlane,
    cuArrayGetSparseProperties, cuMemcpyAtoA_v2, cuMemcpyAtoD_v2, cuMemcpyAtoH_v2,
    cuMemcpyAtoHAsync_v2, cuMemcpyDtoA_v2, cuMemcpyHtoA_v2, cuMemcpyHtoAAsync_v2,
    cuMipmappedArrayCreate, cuMipmappedArrayDestroy, cuMipmappedArrayGetLevel,
    cuMipmappedArrayGetMemoryRequirements, cuMipmappedArrayGetSparseProperties, cuSurfObjectCreate,
    cuSurfObjectDestroy, cuSurfObjectGetResourceDesc, cuTexObjectCreate, cuTexObjectDestroy,
    cuTexObjectGetResourceDesc, cuTexObjectGetResourceViewDesc, cuTexObjectGetTextureDesc,
};
pub use attributes::{cuStreamCopyAttributes, cuStreamGetAttribute, cuStreamSetAttribute};
pub use cache::{
    cuCtxGetCacheConfig, cuCtxGetSharedMemConfig, cuCtxResetPersistingL2Cache, cuCtxSetCacheConfig,
    cuCtxSetSharedMemConfig,
};
pub use callback::cuStreamAddCallback;
pub use capture::{
    cuStreamBeginCapture_v2, cuStreamBeginCaptureToGraph, cuStreamEndCapture,
    cuStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v3, cuStreamIsCapturing,
    cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_v2,
    cuThreadExchangeStreamCaptureMode,
};
pub use context::{
    cuCtxCreate_v2, cuCtxCreate_v3, cuCtxCreate_v4, cuCtxDestroy_v2, cuCtxGetApiVersion,
    cuCtxGetDevice, cuCtxGetDevice_v2, cuCtxGetFlags, cuCtxGetId, cuCtxRecordEvent, cuCtxSetFlags,
    cuCtxSynchronize, cuCtxSynchronize_v2, cuCtxWaitEvent,
};
pub use coredump::{
    cuCoredumpGetAttribute, cuCoredumpGetAttributeGlobal, cuCoredumpSetAttribute,
    cuCoredumpSetAttributeGlobal,
};
pub use device::{
    cuDeviceGet, cuDeviceGetAttribute, cuDeviceGetByPCIBusId, cuDeviceGetCount, cuDeviceGetLuid,
    cuDeviceGetName, cuDeviceGetPCIBusId, cuDeviceGetTexture1DLinearMaxWidth, cuDeviceGetUuid_v2,
    cuDeviceTotalMem_v2, cuFlushGPUDirectRDMAWrites,
};
pub use driver::{cuDriverGetVersion, cuInit};
pub use entry_point::{cuGetExportTable, cuGetProcAddress_v2};
pub use event::{
    cuEventCreate, cuEventDestroy_v2, cuEventElapsedTime, cuEventElapsedTime_v2, cuEventQuery,
    cuEventRecord, cuEventRecordWithFlags, cuEventSynchronize,
};
pub use external::nodes::{
    cuGraphAddExternalSemaphoresSignalNode, cuGraphAddExternalSemaphoresWaitNode,
    cuGraphExecExternalSemaphoresSignalNodeSetParams,
    cuGraphExecExternalSemaphoresWaitNodeSetParams, cuGraphExternalSemaphoresSignalNodeGetParams,
    cuGraphExternalSemaphoresSignalNodeSetParams, cuGraphExternalSemaphoresWaitNodeGetParams,
    cuGraphExternalSemaphoresWaitNodeSetParams,
};
pub use external::{
    cuDestroyExternalMemory, cuDestroyExternalSemaphore, cuExternalMemoryGetMappedBuffer,
    cuExternalMemoryGetMappedMipmappedArray, cuImportExternalMemory, cuImportExternalSemaphore,
    cuSignalExternalSemaphoresAsync, cuWaitExternalSemaphoresAsync,
};
pub use function::{
    cuFuncGetAttribute, cuFuncGetModule, cuFuncGetName, cuFuncGetParamInfo, cuFuncIsLoaded,
    cuFuncLoad, cuFuncSetAttribute, cuFuncSetCacheConfig, cuFuncSetSharedMemConfig,
};
pub use graph::{
    cuDeviceGetGraphMemAttribute, cuDeviceGraphMemTrim, cuDeviceSetGraphMemAttribute,
    cuGraphAddBatchMemOpNode, cuGraphAddChildGraphNode, cuGraphAddDependencies,
    cuGraphAddDependencies_v2, cuGraphAddEmptyNode, cuGraphAddEventRecordNode,
    cuGraphAddEventWaitNode, cuGraphAddHostNode, cuGraphAddKernelNode_v2, cuGraphAddMemAllocNode,
    cuGraphAddMemFreeNode, cuGraphAddMemcpyNode, cuGraphAddMemsetNode, cuGraphAddNode,
    cuGraphAddNode_v2, cuGraphBatchMemOpNodeGetParams, cuGraphBatchMemOpNodeSetParams,
    cuGraphChildGraphNodeGetGraph, cuGraphClone, cuGraphConditionalHandleCreate, cuGraphCreate,
    cuGraphDebugDotPrint, cuGraphDestroy, cuGraphDestroyNode, cuGraphEventRecordNodeGetEvent,
    cuGraphEventRecordNodeSetEvent, cuGraphEventWaitNodeGetEvent, cuGraphEventWaitNodeSetEvent,
    cuGraphExecBatchMemOpNodeSetParams, cuGraphExecChildGraphNodeSetParams, cuGraphExecDestroy,
    cuGraphExecEventRecordNodeSetEvent, cuGraphExecEventWaitNodeSetEvent, cuGraphExecGetFlags,
    cuGraphExecHostNodeSetParams, cuGraphExecKernelNodeSetParams_v2,
    cuGraphExecMemcpyNodeSetParams, cuGraphExecMemsetNodeSetParams, cuGraphExecUpdate_v2,
    cuGraphGetEdges, cuGraphGetEdges_v2, cuGraphGetNodes, cuGraphGetRootNodes,
    cuGraphHostNodeGetParams, cuGraphHostNodeSetParams, cuGraphInstantiateWithFlags,
    cuGraphInstantiateWithParams, cuGraphKernelNodeCopyAttributes, cuGraphKernelNodeGetAttribute,
    cuGraphKernelNodeGetParams_v2, cuGraphKernelNodeSetAttribute, cuGraphKernelNodeSetParams_v2,
    cuGraphLaunch, cuGraphMemAllocNodeGetParams, cuGraphMemFreeNodeGetParams,
    cuGraphMemcpyNodeGetParams, cuGraphMemcpyNodeSetParams, cuGraphMemsetNodeGetParams,
    cuGraphMemsetNodeSetParams, cuGraphNodeFindInClone, cuGraphNodeGetDependencies,
    cuGraphNodeGetDependencies_v2, cuGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes_v2,
    cuGraphNodeGetEnabled, cuGraphNodeGetType, cuGraphNodeSetEnabled, cuGraphReleaseUserObject,
    cuGraphRemoveDependencies, cuGraphRemoveDependencies_v2, cuGraphRetainUserObject,
    cuGraphUpload, cuUserObjectCreate, cuUserObjectRelease, cuUserObjectRetain,
};
pub use graphics::{
    cuGLGetDevices_v2, cuGraphicsEGLRegisterImage, cuGraphicsGLRegisterBuffer,
    cuGraphicsGLRegisterImage, cuGraphicsMapResources, cuGraphicsResourceGetMappedEglFrame,
    cuGraphicsResourceGetMappedMipmappedArray, cuGraphicsResourceGetMappedPointer_v2,
    cuGraphicsResourceSetMapFlags_v2, cuGraphicsSubResourceGetMappedArray,
    cuGraphicsUnmapResources, cuGraphicsUnregisterResource,
};
pub use green::{
    cuCtxFromGreenCtx, cuGreenCtxCreate, cuGreenCtxDestroy, cuGreenCtxGetDevResource,
    cuGreenCtxGetId, cuGreenCtxRecordEvent, cuGreenCtxStreamCreate, cuGreenCtxWaitEvent,
    cuStreamGetCtx_v2, cuStreamGetGreenCtx,
};
pub use ipc::{
    cuIpcCloseMemHandle, cuIpcGetEventHandle, cuIpcGetMemHandle, cuIpcOpenEventHandle,
    cuIpcOpenMemHandle_v2,
};
pub use launch::{cuLaunchCooperativeKernel, cuLaunchHostFunc, cuLaunchKernel, cuLaunchKernelEx};
pub use library::{
    cuKernelGetAttribute, cuKernelGetFunction, cuKernelGetLibrary, cuKernelGetName,
    cuKernelGetParamInfo, cuKernelSetAttribute, cuKernelSetCacheConfig, cuLibraryEnumerateKernels,
    cuLibraryGetGlobal, cuLibraryGetKernel, cuLibraryGetKernelCount, cuLibraryGetManaged,
    cuLibraryGetModule, cuLibraryGetUnifiedFunction, cuLibraryLoadData, cuLibraryLoadFromFile,
    cuLibraryUnload,
};
pub use limits::{cuCtxGetLimit, cuCtxSetLimit};
pub use link::{
    cuLinkAddData_v2, cuLinkAddFile_v2, cuLinkComplete, cuLinkCreate_v2, cuLinkDestroy,
};
pub use logs::{
    cuLogsCurrent, cuLogsDumpToFile, cuLogsDumpToMemory, cuLogsRegisterCallback,
    cuLogsUnregisterCallback,
};
pub use memory::allocate::{
    cuMemAlloc_v2, cuMemAllocHost_v2, cuMemFree_v2, cuMemFreeHost, cuMemGetAddressRange_v2,
    cuMemGetInfo_v2,
};
pub use memory::batch::{
    cuMemcpy3DBatchAsync, cuMemcpy3DBatchAsync_v2, cuMemcpy3DWithAttributesAsync,
    cuMemcpyBatchAsync, cuMemcpyBatchAsync_v2, cuMemcpyWithAttributesAsync,
};
pub use memory::copy::{
    cuMemcpy, cuMemcpyAsync, cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2, cuMemcpyDtoH_v2,
    cuMemcpyDtoHAsync_v2, cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2, cuMemcpyPeer, cuMemcpyPeerAsync,
};
pub use memory::host::{
    cuMemHostAlloc, cuMemHostGetDevicePointer_v2, cuMemHostGetFlags, cuMemHostRegister_v2,
    cuMemHostUnregister,
};
pub use memory::managed::{
    cuMemAdvise, cuMemAdvise_v2, cuMemAllocManaged, cuMemDiscardAndPrefetchBatchAsync,
    cuMemDiscardBatchAsync, cuMemPrefetchAsync, cuMemPrefetchAsync_v2, cuMemPrefetchBatchAsync,
    cuMemRangeGetAttribute, cuMemRangeGetAttributes, cuStreamAttachMemAsync,
};
pub use memory::multicast::{
    cuMulticastAddDevice, cuMulticastBindAddr, cuMulticastBindMem, cuMulticastCreate,
    cuMulticastGetGranularity, cuMulticastUnbind,
};
pub use memory::pool_sharing::{
    cuMemPoolExportPointer, cuMemPoolExportToShareableHandle, cuMemPoolImportFromShareableHandle,
    cuMemPoolImportPointer,
};
pub use memory::pools::{
    cuDeviceGetDefaultMemPool, cuDeviceGetMemPool, cuDeviceSetMemPool, cuMemAllocAsync,
    cuMemAllocFromPoolAsync, cuMemFreeAsync, cuMemGetDefaultMemPool, cuMemGetMemPool,
    cuMemPoolCreate, cuMemPoolDestroy, cuMemPoolGetAccess, cuMemPoolGetAttribute,
    cuMemPoolSetAccess, cuMemPoolSetAttribute, cuMemPoolTrimTo, cuMemSetMemPool,
};
pub use memory::rows::{
    cuMemAllocPitch_v2, cuMemcpy2D_v2, cuMemcpy2DAsync_v2, cuMemcpy2DUnaligned_v2, cuMemcpy3D_v2,
    cuMemcpy3DAsync_v2, cuMemcpy3DPeer, cuMemcpy3DPeerAsync, cuMemsetD2D8_v2, cuMemsetD2D8Async,
    cuMemsetD2D16_v2, cuMemsetD2D16Async, cuMemsetD2D32_v2, cuMemsetD2D32Async,
};
pub use memory::set::{
    cuMemsetD8_v2, cuMemsetD8Async, cuMemsetD16_v2, cuMemsetD16Async, cuMemsetD32_v2,
    cuMemsetD32Async,
};
pub use memory::virtual_memory::{
    cuMemAddressFree, cuMemAddressReserve, cuMemCreate, cuMemExportToShareableHandle,
    cuMemGetAccess, cuMemGetAllocationGranularity, cuMemGetAllocationPropertiesFromHandle,
    cuMemImportFromShareableHandle, cuMemMap, cuMemRelease, cuMemRetainAllocationHandle,
    cuMemSetAccess, cuMemUnmap,
};
pub use module::{
    cuModuleEnumerateFunctions, cuModuleGetFunction, cuModuleGetFunctionCount,
    cuModuleGetGlobal_v2, cuModuleGetLoadingMode, cuModuleLoad, cuModuleLoadData,
    cuModuleLoadDataEx, cuModuleLoadFatBinary, cuModuleUnload,
};
pub use multi_device::cuLaunchCooperativeKernelMultiDevice;
pub use notification::{cuDeviceRegisterAsyncNotification, cuDeviceUnregisterAsyncNotification};
pub use occupancy::{
    cuOccupancyAvailableDynamicSMemPerBlock, cuOccupancyMaxActiveBlocksPerMultiprocessor,
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, cuOccupancyMaxActiveClusters,
    cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSizeWithFlags,
    cuOccupancyMaxPotentialClusterSize,
};
pub use peer::{
    cuCtxDisablePeerAccess, cuCtxEnablePeerAccess, cuDeviceCanAccessPeer,
    cuDeviceGetHostAtomicCapabilities, cuDeviceGetP2PAtomicCapabilities, cuDeviceGetP2PAttribute,
};
pub use primary::{
    cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxReset_v2,
    cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxSetFlags_v2,
};
pub use priority::{
    cuCtxGetStreamPriorityRange, cuStreamCreateWithPriority, cuStreamGetDevice, cuStreamGetId,
    cuStreamGetPriority,
};
pub use profiler::{cuProfilerStart, cuProfilerStop};
pub use resource::{
    cuCtxGetDevResource, cuDevResourceGenerateDesc, cuDevSmResourceSplitByCount,
    cuDeviceGetDevResource,
};
pub use result::{cuGetErrorName, cuGetErrorString};
pub use stack::{cuCtxGetCurrent, cuCtxPopCurrent_v2, cuCtxPushCurrent_v2, cuCtxSetCurrent};
pub use stream::{
    cuStreamCreate, cuStreamDestroy_v2, cuStreamGetCtx, cuStreamGetFlags, cuStreamQuery,
    cuStreamSynchronize, cuStreamWaitEvent,
};
pub use stream_memory::{
    cuStreamBatchMemOp_v2, cuStreamWaitValue32_v2, cuStreamWaitValue64_v2, cuStreamWriteValue32_v2,
    cuStreamWriteValue64_v2,
};
pub use tensor_map::{
    cuTensorMapEncodeIm2col, cuTensorMapEncodeIm2colWide, cuTensorMapEncodeTiled,
    cuTensorMapReplaceAddress,
};
pub use unified::{cuPointerGetAttribute, cuPointerGetAttributes, cuPointerSetAttribute};

// What is not among the above.
pub use unsupported::*;
