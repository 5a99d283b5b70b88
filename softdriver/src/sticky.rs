//! The error that stays: after a fault in a kernel the process is lost for CUDA (F60, F85). Work of contexts
//! without a fault goes on all the same: see [`domain`](crate::domain).

use crate::entry::Answer;
use crate::ptx::Fault;
use crate::stack;
use cuscope_sys::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// The code of a fault, 0 while there is none. From then on nothing is waited for any more.
static CODE: AtomicU32 = AtomicU32::new(0);

/// The same once a call has given it: the next one that waits for the work, or looks at it. From
/// then on nearly every call gives it.
static SHOWN: AtomicU32 = AtomicU32::new(0);

/// The calls that work in spite of the error: what looks at the thread's stack, at devices, at an
/// address or at nothing, graphs but for their nodes, and the end of contexts (F60).
const EXEMPT: &[&str] = &[
    "cuCoredumpGetAttributeGlobal",
    "cuCoredumpSetAttributeGlobal",
    // Of the contexts that are created, from here on, the body gives the code.
    "cuCtxCreate_v2",
    "cuCtxCreate_v3",
    "cuCtxCreate_v4",
    "cuCtxDestroy_v2",
    "cuCtxDetach",
    // Of the green contexts too, behind a look at arguments.
    "cuCtxFromGreenCtx",
    "cuCtxGetApiVersion",
    "cuCtxGetCurrent",
    "cuCtxGetDevResource",
    "cuCtxGetDevice",
    "cuCtxGetDevice_v2",
    "cuCtxGetFlags",
    "cuCtxGetId",
    "cuCtxPopCurrent_v2",
    "cuCtxPushCurrent_v2",
    "cuCtxSetCurrent",
    "cuCtxSetFlags",
    "cuDestroyExternalMemory",
    "cuDevResourceGenerateDesc",
    "cuDevSmResourceSplitByCount",
    "cuDeviceGetGraphMemAttribute",
    "cuDeviceGraphMemTrim",
    "cuDeviceSetGraphMemAttribute",
    "cuDeviceGet",
    "cuDeviceCanAccessPeer",
    "cuDeviceComputeCapability",
    "cuDeviceGetAttribute",
    "cuDeviceGetByPCIBusId",
    "cuDeviceGetCount",
    "cuDeviceGetDevResource",
    "cuDeviceGetDefaultMemPool",
    "cuDeviceGetExecAffinitySupport",
    "cuDeviceGetLuid",
    "cuDeviceGetMemPool",
    "cuDeviceGetName",
    "cuDeviceGetP2PAttribute",
    "cuDeviceGetPCIBusId",
    "cuDeviceGetProperties",
    "cuDeviceGetTexture1DLinearMaxWidth",
    "cuDeviceGetUuid_v2",
    "cuDevicePrimaryCtxGetState",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxReset_v2",
    // 0 for one that is active; else its body gives the code.
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxSetFlags_v2",
    "cuDeviceSetMemPool",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuExternalMemoryGetMappedBuffer",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuGetExportTable",
    "cuGetProcAddress",
    "cuGetProcAddress_v2",
    "cuGraphAddDependencies",
    "cuGraphAddDependencies_v2",
    "cuGraphAddEmptyNode",
    "cuGraphAddHostNode",
    "cuGraphClone",
    "cuGraphCreate",
    "cuGraphDestroy",
    "cuGraphDestroyNode",
    "cuGraphExecDestroy",
    "cuGreenCtxCreate",
    "cuGreenCtxDestroy",
    "cuGreenCtxGetDevResource",
    "cuGreenCtxGetId",
    "cuGreenCtxStreamCreate",
    "cuGraphGetEdges",
    "cuGraphGetEdges_v2",
    "cuGraphGetNodes",
    "cuGraphGetRootNodes",
    "cuGraphKernelNodeGetParams_v2",
    "cuGraphNodeFindInClone",
    "cuGraphNodeGetDependencies",
    "cuGraphNodeGetDependentNodes",
    "cuGraphNodeGetType",
    "cuGraphRemoveDependencies",
    "cuGraphRemoveDependencies_v2",
    "cuInit",
    "cuLogsCurrent",
    "cuLogsDumpToFile",
    "cuLogsDumpToMemory",
    "cuLogsRegisterCallback",
    "cuLogsUnregisterCallback",
    // Virtual memory (F379).
    "cuMemAddressFree",
    "cuMemAddressReserve",
    "cuMemCreate",
    "cuMemGetAccess",
    "cuMemGetAllocationGranularity",
    "cuMemGetDefaultMemPool",
    "cuMemGetMemPool",
    "cuMemMap",
    "cuMemRelease",
    "cuMemSetAccess",
    "cuMemSetMemPool",
    "cuMemUnmap",
    "cuMemPoolCreate",
    "cuMemPoolDestroy",
    "cuMemPoolExportPointer",
    "cuMemPoolExportToShareableHandle",
    "cuMemPoolGetAccess",
    "cuMemPoolGetAttribute",
    "cuMemPoolImportFromShareableHandle",
    "cuMemPoolImportPointer",
    "cuMemPoolSetAccess",
    "cuMemPoolSetAttribute",
    "cuMemPoolTrimTo",
    "cuPointerGetAttribute",
    "cuPointerGetAttributes",
    "cuStreamCreateWithPriority",
    "cuThreadExchangeStreamCaptureMode",
];

/// The calls that need a current context, and say so first if there is none.
const NEED_CURRENT: &[&str] = &[
    "cuArray3DCreate_v2",
    "cuArrayCreate_v2",
    "cuCtxAttach",
    "cuCtxDisablePeerAccess",
    "cuCtxEnablePeerAccess",
    "cuCtxGetCacheConfig",
    "cuCtxGetExecAffinity",
    "cuCtxGetLimit",
    "cuCtxGetSharedMemConfig",
    "cuCtxGetStreamPriorityRange",
    "cuCtxResetPersistingL2Cache",
    "cuCtxSetCacheConfig",
    "cuCtxSetLimit",
    "cuCtxSetSharedMemConfig",
    "cuCtxSynchronize",
    "cuEventCreate",
    "cuGraphInstantiateWithFlags",
    "cuLaunch",
    "cuLaunchGrid",
    "cuMemAllocHost_v2",
    "cuMemAllocPitch_v2",
    "cuMemAlloc_v2",
    "cuMemGetAddressRange_v2",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemHostGetDevicePointer_v2",
    "cuMemHostGetFlags",
    "cuMemHostRegister_v2",
    "cuMemcpy",
    "cuMemcpy2DUnaligned_v2",
    "cuMemcpy2D_v2",
    "cuMemcpy3DPeer",
    "cuMemcpy3D_v2",
    "cuMemcpyAtoA_v2",
    "cuMemcpyAtoD_v2",
    "cuMemcpyAtoH_v2",
    "cuMemcpyDtoA_v2",
    "cuMemcpyDtoD_v2",
    "cuMemcpyDtoH_v2",
    "cuMemcpyHtoA_v2",
    "cuMemcpyHtoD_v2",
    "cuMemcpyPeer",
    "cuMemsetD16_v2",
    "cuMemsetD2D16_v2",
    "cuMemsetD2D32_v2",
    "cuMemsetD2D8_v2",
    "cuMemsetD32_v2",
    "cuMemsetD8_v2",
    "cuMipmappedArrayCreate",
    "cuProfilerStart",
    "cuProfilerStop",
    "cuModuleLoad",
    "cuModuleLoadData",
    "cuModuleLoadDataEx",
    "cuStreamCreate",
    "cuSurfObjectCreate",
    "cuTexObjectCreate",
];

/// The calls that are about the current context if an argument, by index, is null or 0.
const ZERO_IS_CURRENT: &[(&str, usize)] = &[
    ("cuCtxGetApiVersion", 0),
    ("cuCtxGetId", 0),
    ("cuCtxSynchronize_v2", 0),
    ("cuEventRecord", 1),
    ("cuGraphLaunch", 1),
    ("cuLaunchHostFunc", 0),
    ("cuLaunchCooperativeKernel", 8),
    ("cuLaunchGridAsync", 3),
    ("cuLaunchKernel", 8),
    ("cuMemAllocAsync", 2),
    ("cuMemAllocFromPoolAsync", 3),
    ("cuMemFreeAsync", 1),
    ("cuMemcpy2DAsync_v2", 1),
    ("cuMemcpy3DAsync_v2", 1),
    ("cuMemcpy3DPeerAsync", 1),
    ("cuMemcpyAsync", 3),
    ("cuMemcpyAtoHAsync_v2", 4),
    ("cuMemcpyDtoDAsync_v2", 3),
    ("cuMemcpyHtoAAsync_v2", 4),
    ("cuMemcpyDtoHAsync_v2", 3),
    ("cuMemcpyHtoDAsync_v2", 3),
    ("cuMemcpyPeerAsync", 5),
    ("cuMemsetD16Async", 3),
    ("cuMemsetD32Async", 3),
    ("cuMemsetD8Async", 3),
    ("cuStreamAttachMemAsync", 0),
    ("cuStreamBatchMemOp_v2", 0),
    ("cuStreamWaitValue32_v2", 0),
    ("cuStreamWaitValue64_v2", 0),
    ("cuStreamWriteValue32_v2", 0),
    ("cuStreamWriteValue64_v2", 0),
    ("cuStreamBeginCapture_v2", 0),
    ("cuStreamEndCapture", 0),
    ("cuStreamGetCaptureInfo_v2", 0),
    ("cuStreamGetCaptureInfo_v3", 0),
    ("cuStreamGetCtx", 0),
    ("cuStreamGetCtx_v2", 0),
    ("cuStreamGetDevice", 0),
    ("cuStreamGetFlags", 0),
    ("cuStreamGetGreenCtx", 0),
    ("cuStreamGetId", 0),
    ("cuStreamGetPriority", 0),
    ("cuStreamIsCapturing", 0),
    ("cuStreamQuery", 0),
    ("cuStreamSynchronize", 0),
    ("cuStreamWaitEvent", 0),
];

/// The calls that work in spite of the error if an argument, by index, is null, or give the code for
/// that.
const ZERO_WORKS: &[(&str, usize)] = &[
    ("cuCtxRecordEvent", 0),
    ("cuCtxWaitEvent", 0),
    ("cuGraphAddMemsetNode", 5),
    ("cuGraphExecKernelNodeSetParams_v2", 0),
    ("cuGraphInstantiateWithParams", 2),
    ("cuGraphKernelNodeSetParams_v2", 0),
    ("cuGreenCtxRecordEvent", 0),
    ("cuGreenCtxWaitEvent", 0),
    ("cuMemHostGetFlags", 0),
    ("cuLaunchCooperativeKernelMultiDevice", 0),
    ("cuLaunchKernelEx", 0),
    ("cuStreamGetDevice", 1),
    ("cuStreamGetGreenCtx", 1),
    ("cuStreamGetId", 1),
    ("cuStreamGetPriority", 1),
];

/// The calls that look for what their arguments stand for, if none is null or 0, and give the code only for
/// what is there (F333).
const LOOK_FIRST: &[&str] = &[
    "cuEventDestroy_v2",
    "cuEventQuery",
    "cuEventSynchronize",
    "cuFuncGetAttribute",
    "cuMemFree_v2",
    "cuMemHostUnregister",
    "cuModuleGetFunction",
    "cuModuleUnload",
    "cuStreamDestroy_v2",
    "cuStreamQuery",
    "cuStreamSynchronize",
];

/// Refuses a call once the code was given, unless it is exempt.
#[inline]
pub(crate) fn admit(name: &str, zeros: &[bool]) -> Answer {
    match SHOWN.load(Ordering::Acquire) {
        0 => Ok(()),
        code => admit_after(name, zeros, CUresult(code)),
    }
}

/// The same when the code was given.
#[cold]
fn admit_after(name: &str, zeros: &[bool], code: CUresult) -> Answer {
    let zero_of =
        |table: &[(&str, usize)]| table.iter().any(|&(of, index)| of == name && zeros[index]);
    match name {
        _ if zero_of(ZERO_WORKS) => Ok(()),
        // Nowhere to write to.
        "cuStreamGetCtx_v2" if zeros[1] && zeros[2] => Ok(()),
        _ if zero_of(ZERO_IS_CURRENT) || NEED_CURRENT.contains(&name) => {
            stack::current().and(Err(code))
        }
        _ if EXEMPT.contains(&name) => Ok(()),
        _ if LOOK_FIRST.contains(&name) && !zeros.contains(&true) => Ok(()),
        // Nothing to free, and no context to say more.
        "cuMemFree_v2" | "cuMemFreeHost" | "cuMemHostUnregister"
            if zeros[0] && stack::top().is_none() =>
        {
            Ok(())
        }
        _ => Err(code),
    }
}

/// The code, if there was a fault; the caller gives it.
#[inline]
pub(crate) fn check() -> Answer {
    match CODE.load(Ordering::Acquire) {
        0 => Ok(()),
        code => {
            SHOWN.store(code, Ordering::Release);
            Err(CUresult(code))
        }
    }
}

/// Has the calls from now on give the code, if there was a fault; this one does not (F108).
pub(crate) fn find_out() {
    let _for_later = check();
}

/// The code, if a call has given it; for calls that look at their arguments before.
pub(crate) fn check_shown() -> Answer {
    match SHOWN.load(Ordering::Acquire) {
        0 => Ok(()),
        code => Err(CUresult(code)),
    }
}

/// The same for what a call looked for, which counts first if it is not there (F333).
pub(crate) fn check_found<T>(found: Answer<T>) -> Answer<T> {
    let found = found?;
    check_shown()?;
    Ok(found)
}

/// Whether there was a fault.
#[inline]
pub(crate) fn faulted() -> bool {
    CODE.load(Ordering::Acquire) != 0
}

/// Sets the code, unless an earlier fault did.
pub(crate) fn set(code: CUresult) {
    let _ = CODE.compare_exchange(0, code.0, Ordering::AcqRel, Ordering::Acquire);
}

/// The code of a fault.
pub(crate) fn code(fault: Fault) -> CUresult {
    match fault {
        Fault::IllegalAddress => CUDA_ERROR_ILLEGAL_ADDRESS,
        Fault::MisalignedAddress => CUDA_ERROR_MISALIGNED_ADDRESS,
        Fault::IllegalInstruction => CUDA_ERROR_ILLEGAL_INSTRUCTION,
        Fault::InvalidPc => CUDA_ERROR_INVALID_PC,
        Fault::Assert => CUDA_ERROR_ASSERT,
        Fault::LaunchTimeout => CUDA_ERROR_LAUNCH_TIMEOUT,
        _ => CUDA_ERROR_LAUNCH_FAILED,
    }
}
