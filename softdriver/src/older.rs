//! Names that the driver exports besides those of the declared functions: older forms, and what is no
//! part of `cuda.h`.
#![allow(unsafe_code, reason = "functions of C that forward to others")]
use crate::call::call;
use crate::call::driver;
use crate::entry;
use crate::model::device;
use crate::model::device_attribute;
use crate::rules::Rules;
use core::ffi::{c_char, c_int, c_uint, c_void};
use cuscope_sys::*;

/// The limits of a device, as `cuDeviceGetProperties` gives them.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUdevprop {
    maxThreadsPerBlock: c_int,
    maxThreadsDim: [c_int; 3],
    maxGridSize: [c_int; 3],
    sharedMemPerBlock: c_int,
    totalConstantMemory: c_int,
    SIMDWidth: c_int,
    memPitch: c_int,
    regsPerBlock: c_int,
    clockRate: c_int,
    textureAlign: c_int,
}

/// Older forms that do what the newer ones do.
macro_rules! same {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) = $newer:ident($($value:expr),*);)*) => { $(
        #[doc = concat!("As `", stringify!($newer), "`.")]
        ///
        /// # Safety
        ///
        /// As for that.
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> CUresult {
            // SAFETY: the caller promises what the newer form asks for.
            unsafe { newer::$newer($($value),*) }
        }
    )* };
}

/// The newer forms.
mod newer {
    pub(super) use crate::calls::graph::exec::cuGraphInstantiate_v2;
    pub(super) use crate::*;
}

/// The parameters of a kernel node as they were before CUDA 12, in the form that they have now.
fn widened(old: *const CUDA_KERNEL_NODE_PARAMS_v1) -> Option<CUDA_KERNEL_NODE_PARAMS> {
    let old = entry::read(old).ok()?;
    Some(CUDA_KERNEL_NODE_PARAMS {
        func: old.func,
        gridDimX: old.gridDimX,
        gridDimY: old.gridDimY,
        gridDimZ: old.gridDimZ,
        blockDimX: old.blockDimX,
        blockDimY: old.blockDimY,
        blockDimZ: old.blockDimZ,
        sharedMemBytes: old.sharedMemBytes,
        kernelParams: old.kernelParams,
        extra: old.extra,
        kern: core::ptr::null_mut(),
        ctx: core::ptr::null_mut(),
    })
}

/// A pointer to what there is, or null.
fn pointer<T>(of: &Option<T>) -> *const T {
    of.as_ref().map_or(core::ptr::null(), core::ptr::from_ref)
}

same! {
    fn cuCtxCreate(pctx: *mut CUcontext, flags: c_uint, dev: CUdevice) = cuCtxCreate_v2(pctx, flags, dev);
    fn cuCtxDestroy(ctx: CUcontext) = cuCtxDestroy_v2(ctx);
    fn cuCtxPopCurrent(pctx: *mut CUcontext) = cuCtxPopCurrent_v2(pctx);
    fn cuCtxPushCurrent(ctx: CUcontext) = cuCtxPushCurrent_v2(ctx);
    fn cuDeviceGetUuid(uuid: *mut CUuuid, dev: CUdevice) = cuDeviceGetUuid_v2(uuid, dev);
    fn cuDevicePrimaryCtxRelease(dev: CUdevice) = cuDevicePrimaryCtxRelease_v2(dev);
    fn cuDevicePrimaryCtxReset(dev: CUdevice) = cuDevicePrimaryCtxReset_v2(dev);
    fn cuDevicePrimaryCtxSetFlags(dev: CUdevice, flags: c_uint) = cuDevicePrimaryCtxSetFlags_v2(dev, flags);
    fn cuEventDestroy(hEvent: CUevent) = cuEventDestroy_v2(hEvent);
    fn cuGraphAddKernelNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1) = cuGraphAddKernelNode_v2(phGraphNode, hGraph, dependencies, numDependencies, pointer(&widened(nodeParams)));
    fn cuGraphExecKernelNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1) = cuGraphExecKernelNodeSetParams_v2(hGraphExec, hNode, pointer(&widened(nodeParams)));
    fn cuGraphKernelNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1) = cuGraphKernelNodeSetParams_v2(hNode, pointer(&widened(nodeParams)));
    fn cuGraphInstantiate(phGraphExec: *mut CUgraphExec, hGraph: CUgraph, phErrorNode: *mut CUgraphNode, logBuffer: *mut c_char, bufferSize: usize) = cuGraphInstantiate_v2(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
    fn cuIpcOpenMemHandle(pdptr: *mut CUdeviceptr, handle: CUipcMemHandle, Flags: c_uint) = cuIpcOpenMemHandle_v2(pdptr, handle, Flags);
    fn cuMemHostRegister(p: *mut c_void, bytesize: usize, Flags: c_uint) = cuMemHostRegister_v2(p, bytesize, Flags);
    fn cuStreamBatchMemOp(stream: CUstream, count: c_uint, paramArray: *mut CUstreamBatchMemOpParams, flags: c_uint) = cuStreamBatchMemOp_v2(stream, count, paramArray, flags);
    fn cuStreamBeginCapture(hStream: CUstream) = cuStreamBeginCapture_v2(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL);
    fn cuStreamDestroy(hStream: CUstream) = cuStreamDestroy_v2(hStream);
    fn cuStreamGetCaptureInfo(hStream: CUstream, captureStatus: *mut CUstreamCaptureStatus, id: *mut cuuint64_t) = cuStreamGetCaptureInfo_v2(hStream, captureStatus, id, core::ptr::null_mut(), core::ptr::null_mut(), core::ptr::null_mut());
    fn cuStreamWaitValue32(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint) = cuStreamWaitValue32_v2(stream, addr, value, flags);
    fn cuStreamWaitValue64(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint) = cuStreamWaitValue64_v2(stream, addr, value, flags);
    fn cuStreamWriteValue32(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint) = cuStreamWriteValue32_v2(stream, addr, value, flags);
    fn cuStreamWriteValue64(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint) = cuStreamWriteValue64_v2(stream, addr, value, flags);
}

driver! {
    /// The compute capability of a device (F253).
    fn cuDeviceComputeCapability(major: *mut c_int, minor: *mut c_int, dev: CUdevice) [
        after_fault,
    ] {
        entry::wanted(major)?;
        entry::wanted(minor)?;
        let device = device::device(dev)?;
        let number = |of| device_attribute::attribute(device, of);
        entry::write(major, number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?)?;
        entry::write(minor, number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?)
    }
    /// Gives the limits of a device (F253).
    fn cuDeviceGetProperties(prop: *mut CUdevprop, dev: CUdevice) [after_fault] {
        entry::wanted(prop)?;
        let device = device::device(dev)?;
        let number = |of| device_attribute::attribute(device, of);
        entry::write(prop, CUdevprop {
            maxThreadsPerBlock: number(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            maxThreadsDim: device::MAX_BLOCK.map(|extent| extent as c_int),
            maxGridSize: device::MAX_GRID.map(|extent| extent as c_int),
            sharedMemPerBlock: number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
            totalConstantMemory: number(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY)?,
            SIMDWidth: number(CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
            memPitch: number(CU_DEVICE_ATTRIBUTE_MAX_PITCH)?,
            regsPerBlock: number(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?,
            clockRate: number(CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
            textureAlign: number(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)?,
        })
    }
}

/// As [`cuGraphExecUpdate_v2`](crate::cuGraphExecUpdate_v2), with the node and the reason apart.
///
/// # Safety
///
/// As for that; each result may be null.
pub unsafe extern "C" fn cuGraphExecUpdate(
    hGraphExec: CUgraphExec,
    hGraph: CUgraph,
    hErrorNode_out: *mut CUgraphNode,
    updateResult_out: *mut CUgraphExecUpdateResult,
) -> CUresult {
    let none = core::ptr::null_mut();
    let mut info = CUgraphExecUpdateResultInfo {
        result: CU_GRAPH_EXEC_UPDATE_ERROR,
        errorNode: none,
        errorFromNode: none,
    };
    // SAFETY: room for the result.
    let code = unsafe { crate::cuGraphExecUpdate_v2(hGraphExec, hGraph, &raw mut info) };
    entry::write_optional(hErrorNode_out, info.errorNode);
    entry::write_optional(updateResult_out, info.result);
    code
}

/// As [`cuGraphKernelNodeGetParams_v2`](crate::cuGraphKernelNodeGetParams_v2), without the kernel and the context.
///
/// # Safety
///
/// As for that.
pub unsafe extern "C" fn cuGraphKernelNodeGetParams(
    hNode: CUgraphNode,
    nodeParams: *mut CUDA_KERNEL_NODE_PARAMS_v1,
) -> CUresult {
    let mut told = core::mem::MaybeUninit::uninit();
    let to = if nodeParams.is_null() { core::ptr::null_mut() } else { told.as_mut_ptr() };
    // SAFETY: room for the parameters, or null, which is refused.
    let code = unsafe { crate::cuGraphKernelNodeGetParams_v2(hNode, to) };
    if code == CUDA_SUCCESS {
        // SAFETY: a call that succeeds has written them.
        let told: CUDA_KERNEL_NODE_PARAMS = unsafe { told.assume_init() };
        let old = CUDA_KERNEL_NODE_PARAMS_v1 {
            func: told.func,
            gridDimX: told.gridDimX,
            gridDimY: told.gridDimY,
            gridDimZ: told.gridDimZ,
            blockDimX: told.blockDimX,
            blockDimY: told.blockDimY,
            blockDimZ: told.blockDimZ,
            sharedMemBytes: told.sharedMemBytes,
            kernelParams: told.kernelParams,
            extra: told.extra,
        };
        entry::write_optional(nodeParams, old);
    }
    code
}

/// Hands the older forms to the macro `$with`.
#[doc(hidden)]
#[macro_export]
macro_rules! older_functions { ($with:path) => { $with! {
    cuCtxAttach(pctx: *mut CUcontext, flags: c_uint);
    cuCtxCreate(pctx: *mut CUcontext, flags: c_uint, dev: CUdevice);
    cuCtxDestroy(ctx: CUcontext);
    cuCtxDetach(ctx: CUcontext);
    cuCtxPopCurrent(pctx: *mut CUcontext);
    cuCtxPushCurrent(ctx: CUcontext);
    cuDeviceComputeCapability(major: *mut c_int, minor: *mut c_int, dev: CUdevice);
    cuDeviceGetProperties(prop: *mut CUdevprop, dev: CUdevice);
    cuDeviceGetUuid(uuid: *mut CUuuid, dev: CUdevice);
    cuDevicePrimaryCtxRelease(dev: CUdevice);
    cuDevicePrimaryCtxReset(dev: CUdevice);
    cuDevicePrimaryCtxSetFlags(dev: CUdevice, flags: c_uint);
    cuEventDestroy(hEvent: CUevent);
    cuFuncSetBlockShape(hfunc: CUfunction, x: c_int, y: c_int, z: c_int);
    cuFuncSetSharedSize(hfunc: CUfunction, bytes: c_uint);
    cuGetProcAddress(symbol: *const c_char, pfn: *mut *mut c_void, cudaVersion: c_int, flags: cuuint64_t);
    cuGraphAddKernelNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1);
    cuGraphExecKernelNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1);
    cuGraphExecUpdate(hGraphExec: CUgraphExec, hGraph: CUgraph, hErrorNode_out: *mut CUgraphNode, updateResult_out: *mut CUgraphExecUpdateResult);
    cuGraphInstantiate(phGraphExec: *mut CUgraphExec, hGraph: CUgraph, phErrorNode: *mut CUgraphNode, logBuffer: *mut c_char, bufferSize: usize);
    cuGraphInstantiate_v2(phGraphExec: *mut CUgraphExec, hGraph: CUgraph, phErrorNode: *mut CUgraphNode, logBuffer: *mut c_char, bufferSize: usize);
    cuGraphKernelNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_KERNEL_NODE_PARAMS_v1);
    cuGraphKernelNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1);
    cuIpcOpenMemHandle(pdptr: *mut CUdeviceptr, handle: CUipcMemHandle, Flags: c_uint);
    cuLaunch(f: CUfunction);
    cuLaunchGrid(f: CUfunction, grid_width: c_int, grid_height: c_int);
    cuLaunchGridAsync(f: CUfunction, grid_width: c_int, grid_height: c_int, hStream: CUstream);
    cuMemHostRegister(p: *mut c_void, bytesize: usize, Flags: c_uint);
    cuParamSetSize(hfunc: CUfunction, numbytes: c_uint);
    cuParamSetf(hfunc: CUfunction, offset: c_int, value: f32);
    cuParamSeti(hfunc: CUfunction, offset: c_int, value: c_uint);
    cuParamSetv(hfunc: CUfunction, offset: c_int, ptr: *mut c_void, numbytes: c_uint);
    cuStreamBatchMemOp(stream: CUstream, count: c_uint, paramArray: *mut CUstreamBatchMemOpParams, flags: c_uint);
    cuStreamBeginCapture(hStream: CUstream);
    cuStreamDestroy(hStream: CUstream);
    cuStreamGetCaptureInfo(hStream: CUstream, captureStatus: *mut CUstreamCaptureStatus, id: *mut cuuint64_t);
    cuStreamWaitValue32(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint);
    cuStreamWaitValue64(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint);
    cuStreamWriteValue32(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint);
    cuStreamWriteValue64(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint);
} } }

/// Hands the older forms that have one for the calling thread's default stream to the macro `$with`.
#[doc(hidden)]
#[macro_export]
macro_rules! older_per_thread { ($with:path) => { $with! {
    cuStreamBatchMemOp "_ptsz" (stream: CUstream, count: c_uint, paramArray: *mut CUstreamBatchMemOpParams, flags: c_uint);
    cuStreamBeginCapture "_ptsz" (hStream: CUstream);
    cuStreamGetCaptureInfo "_ptsz" (hStream: CUstream, captureStatus: *mut CUstreamCaptureStatus, id: *mut cuuint64_t);
    cuStreamWaitValue32 "_ptsz" (stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint);
    cuStreamWaitValue64 "_ptsz" (stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint);
    cuStreamWriteValue32 "_ptsz" (stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint);
    cuStreamWriteValue64 "_ptsz" (stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint);
} } }

/// Hands the names that answer NOT_SUPPORTED and nothing else to the macro `$with`: forms with 32-bit
/// addresses or sizes, texture references, what CUDA 12 gave up, and other APIs' memory.
#[doc(hidden)]
#[macro_export]
macro_rules! other_names {
    ($with:path) => {
        $with! {
            cuArray3DCreate cuArray3DGetDescriptor cuArrayCreate cuArrayGetDescriptor
            cuDeviceTotalMem cuEGLApiInit cuGLCtxCreate cuGLCtxCreate_v2 cuGLGetDevices
            cuGLInit cuGLMapBufferObject cuGLMapBufferObjectAsync
            cuGLMapBufferObjectAsync_v2 cuGLMapBufferObjectAsync_v2_ptsz
            cuGLMapBufferObject_v2 cuGLMapBufferObject_v2_ptds cuGLRegisterBufferObject
            cuGLSetBufferObjectMapFlags cuGLUnmapBufferObject cuGLUnmapBufferObjectAsync
            cuGLUnregisterBufferObject
            cuGraphicsResourceGetMappedPointer cuGraphicsResourceSetMapFlags
            cuLinkAddData cuLinkAddFile cuLinkCreate cuMemAlloc cuMemAllocHost
            cuMemAllocPitch cuMemFree cuMemGetAddressRange cuMemGetAttribute
            cuMemGetAttribute_v2 cuMemGetInfo cuMemHostGetDevicePointer cuMemcpy2D
            cuMemcpy2DAsync cuMemcpy2DUnaligned cuMemcpy3D cuMemcpy3DAsync cuMemcpyAtoA
            cuMemcpyAtoD cuMemcpyAtoH cuMemcpyAtoHAsync cuMemcpyDtoA cuMemcpyDtoD
            cuMemcpyDtoDAsync cuMemcpyDtoH cuMemcpyDtoHAsync cuMemcpyHtoA
            cuMemcpyHtoAAsync cuMemcpyHtoD cuMemcpyHtoDAsync cuMemsetD16 cuMemsetD2D16
            cuMemsetD2D32 cuMemsetD2D8 cuMemsetD32 cuMemsetD8 cuModuleGetGlobal
            cuModuleGetSurfRef cuModuleGetTexRef cuParamSetTexRef cuProfilerInitialize
            cuSurfRefGetArray cuSurfRefSetArray cuTexRefCreate cuTexRefDestroy
            cuTexRefGetAddress cuTexRefGetAddressMode cuTexRefGetAddress_v2
            cuTexRefGetArray cuTexRefGetBorderColor cuTexRefGetFilterMode
            cuTexRefGetFlags cuTexRefGetFormat cuTexRefGetMaxAnisotropy
            cuTexRefGetMipmapFilterMode cuTexRefGetMipmapLevelBias
            cuTexRefGetMipmapLevelClamp cuTexRefGetMipmappedArray cuTexRefSetAddress
            cuTexRefSetAddress2D cuTexRefSetAddress2D_v2 cuTexRefSetAddress2D_v3
            cuTexRefSetAddressMode cuTexRefSetAddress_v2 cuTexRefSetArray
            cuTexRefSetBorderColor cuTexRefSetFilterMode cuTexRefSetFlags
            cuTexRefSetFormat cuTexRefSetMaxAnisotropy cuTexRefSetMipmapFilterMode
            cuTexRefSetMipmapLevelBias cuTexRefSetMipmapLevelClamp
            cuTexRefSetMipmappedArray cuVDPAUCtxCreate
        }
    };
}

macro_rules! unsupported {
    ($($name:ident)*) => { $(
        /// Not implemented: NOT_SUPPORTED, whatever the arguments are, which it does not look at.
        pub extern "C" fn $name() -> CUresult {
            static RULES: Rules = Rules::of(stringify!($name), 0);
            call(&RULES, &[], &mut || Err(CUDA_ERROR_NOT_SUPPORTED))
        }
    )* };
}
crate::other_names!(unsupported);
pub use crate::calls::context::cuCtxAttach;
pub use crate::calls::context::cuCtxDetach;
pub use crate::calls::graph::exec::cuGraphInstantiate_v2;
pub use crate::calls::older_launch::cuFuncSetBlockShape;
pub use crate::calls::older_launch::cuFuncSetSharedSize;
pub use crate::calls::older_launch::cuLaunch;
pub use crate::calls::older_launch::cuLaunchGrid;
pub use crate::calls::older_launch::cuLaunchGridAsync;
pub use crate::calls::older_launch::cuParamSetSize;
pub use crate::calls::older_launch::cuParamSetf;
pub use crate::calls::older_launch::cuParamSeti;
pub use crate::calls::older_launch::cuParamSetv;
pub use crate::entry_point::cuGetProcAddress;
