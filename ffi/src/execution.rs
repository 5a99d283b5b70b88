//! Execution: kernels and host functions.

use crate::types::*;
use core::ffi::{c_char, c_int, c_uint, c_void};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! execution_functions { ($with:path) => { $with! {
    /// One attribute of a kernel.
    2020 fn cuFuncGetAttribute(pi: *mut c_int, attrib: CUfunction_attribute, hfunc: CUfunction) -> CUresult;
    /// Sets an attribute of a kernel; not all can be set.
    9000 fn cuFuncSetAttribute(hfunc: CUfunction, attrib: CUfunction_attribute, value: c_int) -> CUresult;
    /// Prefers a split of L1 cache and shared memory for a kernel.
    3000 fn cuFuncSetCacheConfig(hfunc: CUfunction, config: CUfunc_cache) -> CUresult;
    /// The module that a kernel belongs to.
    11000 fn cuFuncGetModule(hmod: *mut CUmodule, hfunc: CUfunction) -> CUresult;
    /// Enqueues a kernel. `kernelParams` points to one pointer for each parameter.
    4000 fn cuLaunchKernel(f: CUfunction, gridDimX: c_uint, gridDimY: c_uint, gridDimZ: c_uint, blockDimX: c_uint, blockDimY: c_uint, blockDimZ: c_uint, sharedMemBytes: c_uint, hStream: CUstream, kernelParams: *mut *mut c_void, extra: *mut *mut c_void) -> CUresult;
    /// As `cuLaunchKernel`, with attributes of the launch, such as the size of a cluster.
    11060 fn cuLaunchKernelEx(config: *const CUlaunchConfig, f: CUfunction, kernelParams: *mut *mut c_void, extra: *mut *mut c_void) -> CUresult;
    /// Enqueues a kernel whose blocks all run at once and may wait for each other.
    9000 fn cuLaunchCooperativeKernel(f: CUfunction, gridDimX: c_uint, gridDimY: c_uint, gridDimZ: c_uint, blockDimX: c_uint, blockDimY: c_uint, blockDimZ: c_uint, sharedMemBytes: c_uint, hStream: CUstream, kernelParams: *mut *mut c_void) -> CUresult;
    /// Enqueues a function of the host, which must not call the driver.
    10000 fn cuLaunchHostFunc(hStream: CUstream, func: CUhostFn, userData: *mut c_void) -> CUresult;
    /// Launches a kernel on several devices, whose blocks may wait for each other. Deprecated.
    9000 fn cuLaunchCooperativeKernelMultiDevice(launchParamsList: *mut CUDA_LAUNCH_PARAMS, numDevices: c_uint, flags: c_uint) -> CUresult;
    /// Asks for a size of the shared memory's banks while a kernel runs. Deprecated.
    4020 fn cuFuncSetSharedMemConfig(hfunc: CUfunction, config: CUsharedconfig) -> CUresult;
} } }
execution_functions!(declare);

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! execution_newer_functions { ($with:path) => { $with! {
    /// The name of a kernel, mangled if it is of C++; the string lives as long as the module.
    12030 fn cuFuncGetName(name: *mut *const c_char, hfunc: CUfunction) -> CUresult;
    /// Offset and size in bytes of one parameter of a kernel; `paramSize` may be null.
    12040 fn cuFuncGetParamInfo(func: CUfunction, paramIndex: usize, paramOffset: *mut usize, paramSize: *mut usize) -> CUresult;
    /// The number of parameters of a kernel.
    13020 fn cuFuncGetParamCount(func: CUfunction, paramCount: *mut usize) -> CUresult;
    /// Whether a kernel is loaded, where functions are loaded as they are used.
    12040 fn cuFuncIsLoaded(state: *mut CUfunctionLoadingState, function: CUfunction) -> CUresult;
    /// Loads a kernel now that would be loaded when used.
    12040 fn cuFuncLoad(function: CUfunction) -> CUresult;
    /// As `cuLaunchHostFunc`; `syncMode` says how the driver waits to call the function.
    13010 fn cuLaunchHostFunc_v2(hStream: CUstream, func: CUhostFn, userData: *mut c_void, syncMode: c_uint) -> CUresult;
} } }
execution_newer_functions!(lookup);

// skipped cuFuncSetBlockShape: deprecated since CUDA 4.0; use cuLaunchKernel
// skipped cuFuncSetSharedSize: deprecated since CUDA 4.0; use cuLaunchKernel
// skipped cuParamSetSize: deprecated since CUDA 4.0; use cuLaunchKernel
// skipped cuParamSeti: deprecated since CUDA 4.0; use cuLaunchKernel
// skipped cuParamSetf: deprecated since CUDA 4.0; use cuLaunchKernel
// skipped cuParamSetv: deprecated since CUDA 4.0; use cuLaunchKernel
// skipped cuParamSetTexRef: deprecated since CUDA 4.0; use cuTexObjectCreate
// skipped cuLaunch: deprecated since CUDA 4.0; use cuLaunchKernel
// skipped cuLaunchGrid: deprecated since CUDA 4.0; use cuLaunchKernel
// skipped cuLaunchGridAsync: deprecated since CUDA 4.0; use cuLaunchKernel
