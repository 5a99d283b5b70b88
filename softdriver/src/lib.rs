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
//! what went wrong, `CUSCOPE_SOFT_CHECK=1` has every access checked for that, `CUSCOPE_SOFT_GO_ON` has kernels go on without
//! accesses that fault; `CUSCOPE_SOFT_ATTRIBUTES` says what devices
//! lack; `CUSCOPE_SOFT_TRACE` names a file for a
//! trace of calls and work, for a trace viewer.
#![allow(non_snake_case, reason = "the names are those of cuda.h")]

mod call;
mod calls;
mod check;
mod conditions;
pub mod control;
mod domain;
mod entry;
mod entry_point;
mod environment;
mod exports;
pub mod faults;
pub mod gl;
mod host_function;
mod image;
mod label;
mod lowered;
mod model;
#[doc(hidden)]
pub mod older;
mod order;
#[doc(hidden)]
pub mod per_thread;
mod plan;
mod plan_text;
mod print;
mod queue;
mod race;
mod registry;
mod report;
mod rules;
pub mod schedule;
mod settings;
mod sticky;
mod summary;
mod symbols;
mod sync;
mod trace;
mod unsupported;
mod visible;

pub use calls::affinity::{cuCtxGetExecAffinity, cuDeviceGetExecAffinitySupport};
pub use calls::array::arrays::cuArray3DCreate_v2;
pub use calls::array::arrays::cuArray3DGetDescriptor_v2;
pub use calls::array::arrays::cuArrayCreate_v2;
pub use calls::array::arrays::cuArrayDestroy;
pub use calls::array::arrays::cuArrayGetDescriptor_v2;
pub use calls::array::arrays::cuArrayGetMemoryRequirements;
pub use calls::array::arrays::cuArrayGetPlane;
pub use calls::array::arrays::cuArrayGetSparseProperties;
pub use calls::array::copy::cuMemcpyAtoA_v2;
pub use calls::array::copy::cuMemcpyAtoD_v2;
pub use calls::array::copy::cuMemcpyAtoH_v2;
pub use calls::array::copy::cuMemcpyAtoHAsync_v2;
pub use calls::array::copy::cuMemcpyDtoA_v2;
pub use calls::array::copy::cuMemcpyHtoA_v2;
pub use calls::array::copy::cuMemcpyHtoAAsync_v2;
pub use calls::array::mipmap::cuMipmappedArrayCreate;
pub use calls::array::mipmap::cuMipmappedArrayDestroy;
pub use calls::array::mipmap::cuMipmappedArrayGetLevel;
pub use calls::array::mipmap::cuMipmappedArrayGetMemoryRequirements;
pub use calls::array::mipmap::cuMipmappedArrayGetSparseProperties;
pub use calls::array::texture::cuSurfObjectCreate;
pub use calls::array::texture::cuSurfObjectDestroy;
pub use calls::array::texture::cuSurfObjectGetResourceDesc;
pub use calls::array::texture::cuTexObjectCreate;
pub use calls::array::texture::cuTexObjectDestroy;
pub use calls::array::texture::cuTexObjectGetResourceDesc;
pub use calls::array::texture::cuTexObjectGetResourceViewDesc;
pub use calls::array::texture::cuTexObjectGetTextureDesc;
pub use calls::attributes::{cuStreamCopyAttributes, cuStreamGetAttribute, cuStreamSetAttribute};
pub use calls::cache::{
    cuCtxGetCacheConfig, cuCtxGetSharedMemConfig, cuCtxResetPersistingL2Cache, cuCtxSetCacheConfig,
    cuCtxSetSharedMemConfig,
};
pub use calls::callback::cuStreamAddCallback;
pub use calls::capture::streams::cuStreamBeginCapture_v2;
pub use calls::capture::streams::cuStreamBeginCaptureToGraph;
pub use calls::capture::streams::cuStreamEndCapture;
pub use calls::capture::streams::cuStreamGetCaptureInfo_v2;
pub use calls::capture::streams::cuStreamGetCaptureInfo_v3;
pub use calls::capture::streams::cuStreamIsCapturing;
pub use calls::capture::streams::cuStreamUpdateCaptureDependencies;
pub use calls::capture::streams::cuStreamUpdateCaptureDependencies_v2;
pub use calls::capture::streams::cuThreadExchangeStreamCaptureMode;
pub use calls::context::{
    cuCtxCreate_v2, cuCtxCreate_v3, cuCtxCreate_v4, cuCtxDestroy_v2, cuCtxGetApiVersion,
    cuCtxGetDevice, cuCtxGetDevice_v2, cuCtxGetFlags, cuCtxGetId, cuCtxRecordEvent, cuCtxSetFlags,
    cuCtxSynchronize, cuCtxSynchronize_v2, cuCtxWaitEvent,
};
pub use calls::coredump::{
    cuCoredumpGetAttribute, cuCoredumpGetAttributeGlobal, cuCoredumpSetAttribute,
    cuCoredumpSetAttributeGlobal,
};
pub use calls::device::{
    cuDeviceGet, cuDeviceGetAttribute, cuDeviceGetByPCIBusId, cuDeviceGetCount, cuDeviceGetLuid,
    cuDeviceGetName, cuDeviceGetPCIBusId, cuDeviceGetTexture1DLinearMaxWidth, cuDeviceGetUuid_v2,
    cuDeviceTotalMem_v2, cuFlushGPUDirectRDMAWrites,
};
pub use calls::driver::{cuDriverGetVersion, cuInit};
pub use calls::event::{
    cuEventCreate, cuEventDestroy_v2, cuEventElapsedTime, cuEventElapsedTime_v2, cuEventQuery,
    cuEventRecord, cuEventRecordWithFlags, cuEventSynchronize,
};
pub use calls::external::memory::cuDestroyExternalMemory;
pub use calls::external::memory::cuExternalMemoryGetMappedBuffer;
pub use calls::external::memory::cuExternalMemoryGetMappedMipmappedArray;
pub use calls::external::memory::cuImportExternalMemory;
pub use calls::external::nodes::{
    cuGraphAddExternalSemaphoresSignalNode, cuGraphAddExternalSemaphoresWaitNode,
    cuGraphExecExternalSemaphoresSignalNodeSetParams,
    cuGraphExecExternalSemaphoresWaitNodeSetParams, cuGraphExternalSemaphoresSignalNodeGetParams,
    cuGraphExternalSemaphoresSignalNodeSetParams, cuGraphExternalSemaphoresWaitNodeGetParams,
    cuGraphExternalSemaphoresWaitNodeSetParams,
};
pub use calls::external::semaphore::cuDestroyExternalSemaphore;
pub use calls::external::semaphore::cuImportExternalSemaphore;
pub use calls::external::semaphore::cuSignalExternalSemaphoresAsync;
pub use calls::external::semaphore::cuWaitExternalSemaphoresAsync;
pub use calls::function::{
    cuFuncGetAttribute, cuFuncGetModule, cuFuncGetName, cuFuncGetParamInfo, cuFuncIsLoaded,
    cuFuncLoad, cuFuncSetAttribute, cuFuncSetCacheConfig, cuFuncSetSharedMemConfig,
};
pub use calls::graph::add::cuGraphAddEmptyNode;
pub use calls::graph::add::cuGraphAddHostNode;
pub use calls::graph::add::cuGraphAddKernelNode_v2;
pub use calls::graph::add::cuGraphAddMemcpyNode;
pub use calls::graph::add::cuGraphAddMemsetNode;
pub use calls::graph::any::{cuGraphExecNodeSetParams, cuGraphNodeSetParams};
pub use calls::graph::batch::cuGraphAddBatchMemOpNode;
pub use calls::graph::batch::cuGraphBatchMemOpNodeGetParams;
pub use calls::graph::batch::cuGraphBatchMemOpNodeSetParams;
pub use calls::graph::batch::cuGraphExecBatchMemOpNodeSetParams;
pub use calls::graph::child::cuGraphAddChildGraphNode;
pub use calls::graph::child::cuGraphChildGraphNodeGetGraph;
pub use calls::graph::child::cuGraphExecChildGraphNodeSetParams;
pub use calls::graph::conditional::cuGraphAddNode;
pub use calls::graph::conditional::cuGraphAddNode_v2;
pub use calls::graph::conditional::cuGraphConditionalHandleCreate;
pub use calls::graph::dot::cuGraphDebugDotPrint;
pub use calls::graph::edit::cuGraphAddDependencies;
pub use calls::graph::edit::cuGraphAddDependencies_v2;
pub use calls::graph::edit::cuGraphClone;
pub use calls::graph::edit::cuGraphDestroyNode;
pub use calls::graph::edit::cuGraphNodeFindInClone;
pub use calls::graph::edit::cuGraphRemoveDependencies;
pub use calls::graph::edit::cuGraphRemoveDependencies_v2;
pub use calls::graph::enabled::cuGraphNodeGetEnabled;
pub use calls::graph::enabled::cuGraphNodeSetEnabled;
pub use calls::graph::event::cuGraphAddEventRecordNode;
pub use calls::graph::event::cuGraphAddEventWaitNode;
pub use calls::graph::event::cuGraphEventRecordNodeGetEvent;
pub use calls::graph::event::cuGraphEventRecordNodeSetEvent;
pub use calls::graph::event::cuGraphEventWaitNodeGetEvent;
pub use calls::graph::event::cuGraphEventWaitNodeSetEvent;
pub use calls::graph::event::cuGraphExecEventRecordNodeSetEvent;
pub use calls::graph::event::cuGraphExecEventWaitNodeSetEvent;
pub use calls::graph::exec::cuGraphExecDestroy;
pub use calls::graph::exec::cuGraphExecGetFlags;
pub use calls::graph::exec::cuGraphInstantiateWithFlags;
pub use calls::graph::exec::cuGraphInstantiateWithParams;
pub use calls::graph::exec::cuGraphLaunch;
pub use calls::graph::exec::cuGraphUpload;
pub use calls::graph::kernel::cuGraphExecKernelNodeSetParams_v2;
pub use calls::graph::kernel::cuGraphKernelNodeCopyAttributes;
pub use calls::graph::kernel::cuGraphKernelNodeGetAttribute;
pub use calls::graph::kernel::cuGraphKernelNodeGetParams_v2;
pub use calls::graph::kernel::cuGraphKernelNodeSetAttribute;
pub use calls::graph::kernel::cuGraphKernelNodeSetParams_v2;
pub use calls::graph::memory::cuDeviceGetGraphMemAttribute;
pub use calls::graph::memory::cuDeviceGraphMemTrim;
pub use calls::graph::memory::cuDeviceSetGraphMemAttribute;
pub use calls::graph::memory::cuGraphAddMemAllocNode;
pub use calls::graph::memory::cuGraphAddMemFreeNode;
pub use calls::graph::memory::cuGraphMemAllocNodeGetParams;
pub use calls::graph::memory::cuGraphMemFreeNodeGetParams;
pub use calls::graph::params::cuGraphExecHostNodeSetParams;
pub use calls::graph::params::cuGraphExecMemcpyNodeSetParams;
pub use calls::graph::params::cuGraphExecMemsetNodeSetParams;
pub use calls::graph::params::cuGraphHostNodeGetParams;
pub use calls::graph::params::cuGraphHostNodeSetParams;
pub use calls::graph::params::cuGraphMemcpyNodeGetParams;
pub use calls::graph::params::cuGraphMemcpyNodeSetParams;
pub use calls::graph::params::cuGraphMemsetNodeGetParams;
pub use calls::graph::params::cuGraphMemsetNodeSetParams;
pub use calls::graph::query::cuGraphGetEdges;
pub use calls::graph::query::cuGraphGetEdges_v2;
pub use calls::graph::query::cuGraphGetNodes;
pub use calls::graph::query::cuGraphGetRootNodes;
pub use calls::graph::query::cuGraphNodeGetDependencies;
pub use calls::graph::query::cuGraphNodeGetDependencies_v2;
pub use calls::graph::query::cuGraphNodeGetDependentNodes;
pub use calls::graph::query::cuGraphNodeGetDependentNodes_v2;
pub use calls::graph::query::cuGraphNodeGetType;
pub use calls::graph::update::cuGraphExecUpdate_v2;
pub use calls::graph::user_object::cuGraphReleaseUserObject;
pub use calls::graph::user_object::cuGraphRetainUserObject;
pub use calls::graph::user_object::cuUserObjectCreate;
pub use calls::graph::user_object::cuUserObjectRelease;
pub use calls::graph::user_object::cuUserObjectRetain;
pub use calls::graph::{cuGraphCreate, cuGraphDestroy};
pub use calls::graphics::{
    cuGLGetDevices_v2, cuGraphicsEGLRegisterImage, cuGraphicsGLRegisterBuffer,
    cuGraphicsGLRegisterImage, cuGraphicsMapResources, cuGraphicsResourceGetMappedEglFrame,
    cuGraphicsResourceGetMappedMipmappedArray, cuGraphicsResourceGetMappedPointer_v2,
    cuGraphicsResourceSetMapFlags_v2, cuGraphicsSubResourceGetMappedArray,
    cuGraphicsUnmapResources, cuGraphicsUnregisterResource,
};
pub use calls::green::{
    cuCtxFromGreenCtx, cuGreenCtxCreate, cuGreenCtxDestroy, cuGreenCtxGetDevResource,
    cuGreenCtxGetId, cuGreenCtxRecordEvent, cuGreenCtxStreamCreate, cuGreenCtxWaitEvent,
    cuStreamGetCtx_v2, cuStreamGetGreenCtx,
};
pub use calls::ipc::{
    cuIpcCloseMemHandle, cuIpcGetEventHandle, cuIpcGetMemHandle, cuIpcOpenEventHandle,
    cuIpcOpenMemHandle_v2,
};
pub use calls::launch::{
    cuLaunchCooperativeKernel, cuLaunchHostFunc, cuLaunchKernel, cuLaunchKernelEx,
};
pub use calls::library::{
    cuKernelGetAttribute, cuKernelGetFunction, cuKernelGetLibrary, cuKernelGetName,
    cuKernelGetParamInfo, cuKernelSetAttribute, cuKernelSetCacheConfig, cuLibraryEnumerateKernels,
    cuLibraryGetGlobal, cuLibraryGetKernel, cuLibraryGetKernelCount, cuLibraryGetManaged,
    cuLibraryGetModule, cuLibraryGetUnifiedFunction, cuLibraryLoadData, cuLibraryLoadFromFile,
    cuLibraryUnload,
};
pub use calls::limits::{cuCtxGetLimit, cuCtxSetLimit};
pub use calls::link::{
    cuLinkAddData_v2, cuLinkAddFile_v2, cuLinkComplete, cuLinkCreate_v2, cuLinkDestroy,
};
pub use calls::logs::{
    cuLogsCurrent, cuLogsDumpToFile, cuLogsDumpToMemory, cuLogsRegisterCallback,
    cuLogsUnregisterCallback,
};
pub use calls::memory::allocate::{
    cuMemAlloc_v2, cuMemAllocHost_v2, cuMemFree_v2, cuMemFreeHost, cuMemGetAddressRange_v2,
    cuMemGetInfo_v2,
};
pub use calls::memory::batch::{
    cuMemcpy3DBatchAsync, cuMemcpy3DBatchAsync_v2, cuMemcpy3DWithAttributesAsync,
    cuMemcpyBatchAsync, cuMemcpyBatchAsync_v2, cuMemcpyWithAttributesAsync,
};
pub use calls::memory::copy::{
    cuMemcpy, cuMemcpyAsync, cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2, cuMemcpyDtoH_v2,
    cuMemcpyDtoHAsync_v2, cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2, cuMemcpyPeer, cuMemcpyPeerAsync,
};
pub use calls::memory::host::{
    cuMemHostAlloc, cuMemHostGetDevicePointer_v2, cuMemHostGetFlags, cuMemHostRegister_v2,
    cuMemHostUnregister,
};
pub use calls::memory::managed::{
    cuMemAdvise, cuMemAdvise_v2, cuMemAllocManaged, cuMemDiscardAndPrefetchBatchAsync,
    cuMemDiscardBatchAsync, cuMemPrefetchAsync, cuMemPrefetchAsync_v2, cuMemPrefetchBatchAsync,
    cuMemRangeGetAttribute, cuMemRangeGetAttributes, cuStreamAttachMemAsync,
};
pub use calls::memory::multicast::{
    cuMulticastAddDevice, cuMulticastBindAddr, cuMulticastBindMem, cuMulticastCreate,
    cuMulticastGetGranularity, cuMulticastUnbind,
};
pub use calls::memory::pool_sharing::{
    cuMemPoolExportPointer, cuMemPoolExportToShareableHandle, cuMemPoolImportFromShareableHandle,
    cuMemPoolImportPointer,
};
pub use calls::memory::pools::{
    cuDeviceGetDefaultMemPool, cuDeviceGetMemPool, cuDeviceSetMemPool, cuMemAllocAsync,
    cuMemAllocFromPoolAsync, cuMemFreeAsync, cuMemGetDefaultMemPool, cuMemGetMemPool,
    cuMemPoolCreate, cuMemPoolDestroy, cuMemPoolGetAccess, cuMemPoolGetAttribute,
    cuMemPoolSetAccess, cuMemPoolSetAttribute, cuMemPoolTrimTo, cuMemSetMemPool,
};
pub use calls::memory::rows::{
    cuMemAllocPitch_v2, cuMemcpy2D_v2, cuMemcpy2DAsync_v2, cuMemcpy2DUnaligned_v2, cuMemcpy3D_v2,
    cuMemcpy3DAsync_v2, cuMemcpy3DPeer, cuMemcpy3DPeerAsync, cuMemsetD2D8_v2, cuMemsetD2D8Async,
    cuMemsetD2D16_v2, cuMemsetD2D16Async, cuMemsetD2D32_v2, cuMemsetD2D32Async,
};
pub use calls::memory::set::{
    cuMemsetD8_v2, cuMemsetD8Async, cuMemsetD16_v2, cuMemsetD16Async, cuMemsetD32_v2,
    cuMemsetD32Async,
};
pub use calls::memory::virtual_memory::{
    cuMemAddressFree, cuMemAddressReserve, cuMemCreate, cuMemExportToShareableHandle,
    cuMemGetAccess, cuMemGetAllocationGranularity, cuMemGetAllocationPropertiesFromHandle,
    cuMemImportFromShareableHandle, cuMemMap, cuMemRelease, cuMemRetainAllocationHandle,
    cuMemSetAccess, cuMemUnmap,
};
pub use calls::module::{
    cuModuleEnumerateFunctions, cuModuleGetFunction, cuModuleGetFunctionCount,
    cuModuleGetGlobal_v2, cuModuleGetLoadingMode, cuModuleLoad, cuModuleLoadData,
    cuModuleLoadDataEx, cuModuleLoadFatBinary, cuModuleUnload,
};
pub use calls::multi_device::cuLaunchCooperativeKernelMultiDevice;
pub use calls::notification::{
    cuDeviceRegisterAsyncNotification, cuDeviceUnregisterAsyncNotification,
};
pub use calls::occupancy::{
    cuOccupancyAvailableDynamicSMemPerBlock, cuOccupancyMaxActiveBlocksPerMultiprocessor,
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, cuOccupancyMaxActiveClusters,
    cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSizeWithFlags,
    cuOccupancyMaxPotentialClusterSize,
};
pub use calls::peer::{
    cuCtxDisablePeerAccess, cuCtxEnablePeerAccess, cuDeviceCanAccessPeer,
    cuDeviceGetHostAtomicCapabilities, cuDeviceGetP2PAtomicCapabilities, cuDeviceGetP2PAttribute,
};
pub use calls::primary::{
    cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxReset_v2,
    cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxSetFlags_v2,
};
pub use calls::priority::{
    cuCtxGetStreamPriorityRange, cuStreamCreateWithPriority, cuStreamGetDevice, cuStreamGetId,
    cuStreamGetPriority,
};
pub use calls::profiler::{cuProfilerStart, cuProfilerStop};
pub use calls::resource::{
    cuCtxGetDevResource, cuDevResourceGenerateDesc, cuDevSmResourceSplitByCount,
    cuDeviceGetDevResource,
};
pub use calls::result::{cuGetErrorName, cuGetErrorString};
pub use calls::stack::{cuCtxGetCurrent, cuCtxPopCurrent_v2, cuCtxPushCurrent_v2, cuCtxSetCurrent};
pub use calls::stream::{
    cuStreamCreate, cuStreamDestroy_v2, cuStreamGetCtx, cuStreamGetFlags, cuStreamQuery,
    cuStreamSynchronize, cuStreamWaitEvent,
};
pub use calls::stream_memory::{
    cuStreamBatchMemOp_v2, cuStreamWaitValue32_v2, cuStreamWaitValue64_v2, cuStreamWriteValue32_v2,
    cuStreamWriteValue64_v2,
};
pub use calls::tensor_map::{
    cuTensorMapEncodeIm2col, cuTensorMapEncodeIm2colWide, cuTensorMapEncodeTiled,
    cuTensorMapReplaceAddress,
};
pub use calls::unified::{cuPointerGetAttribute, cuPointerGetAttributes, cuPointerSetAttribute};
pub use entry_point::{cuGetExportTable, cuGetProcAddress_v2};

// Functions that are not among the above.
pub use unsupported::*;
