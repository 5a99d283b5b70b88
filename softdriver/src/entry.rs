//! What every call goes through, and how results leave through C pointers.
#![allow(unsafe_code, reason = "results are written through the pointers that a C caller passes")]

use crate::{capture, control, domain, faults, logs, schedule, sticky, summary, trace};
use core::ffi::{CStr, c_char, c_int, c_uint};
use cuscope_sys::*;
use std::cell::Cell;
#[cfg(unix)]
use std::ffi::OsStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// What the body of a driver function gives.
pub(crate) type Answer<T = ()> = Result<T, CUresult>;

/// Calls that work before `cuInit`, in a forked child, and in host functions (F1).
const ALWAYS: &[&str] = &[
    "cuCoredumpGetAttributeGlobal",
    "cuCoredumpSetAttributeGlobal",
    "cuDriverGetVersion",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuGetExportTable",
    "cuGetProcAddress",
    "cuGetProcAddress_v2",
    "cuLogsCurrent",
    "cuLogsDumpToFile",
    "cuLogsDumpToMemory",
    "cuLogsRegisterCallback",
    "cuLogsUnregisterCallback",
    "cuUserObjectCreate",
];

/// Calls that look at an argument before anything else: its index, and the code if it is null (F1).
const LOOK_FIRST: &[(&str, usize, CUresult)] = &[
    ("cuCtxDestroy_v2", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuCtxFromGreenCtx", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuCtxGetDevResource", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuCtxGetDevice", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuCtxGetDevice_v2", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuCtxGetFlags", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuCtxGetId", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuDevResourceGenerateDesc", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuDevResourceGenerateDesc", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuDeviceGetAttribute", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuDevicePrimaryCtxGetState", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuDevicePrimaryCtxGetState", 2, CUDA_ERROR_INVALID_VALUE),
    ("cuEventDestroy_v2", 0, CUDA_ERROR_INVALID_HANDLE),
    ("cuEventElapsedTime", 0, CUDA_ERROR_INVALID_HANDLE),
    ("cuEventElapsedTime", 1, CUDA_ERROR_INVALID_HANDLE),
    ("cuEventElapsedTime", 2, CUDA_ERROR_INVALID_HANDLE),
    ("cuEventQuery", 0, CUDA_ERROR_INVALID_HANDLE),
    ("cuEventSynchronize", 0, CUDA_ERROR_INVALID_HANDLE),
    ("cuEventElapsedTime_v2", 0, CUDA_ERROR_INVALID_HANDLE),
    ("cuEventElapsedTime_v2", 1, CUDA_ERROR_INVALID_HANDLE),
    ("cuEventElapsedTime_v2", 2, CUDA_ERROR_INVALID_HANDLE),
    ("cuFuncGetParamInfo", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuFuncGetParamInfo", 2, CUDA_ERROR_INVALID_VALUE),
    ("cuFuncGetAttribute", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuFuncGetAttribute", 2, CUDA_ERROR_INVALID_HANDLE),
    ("cuFuncGetName", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuFuncGetName", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuFuncIsLoaded", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuFuncIsLoaded", 1, CUDA_ERROR_INVALID_HANDLE),
    ("cuFuncLoad", 0, CUDA_ERROR_INVALID_HANDLE),
    ("cuKernelGetFunction", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuKernelGetFunction", 1, CUDA_ERROR_INVALID_HANDLE),
    ("cuKernelGetLibrary", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuKernelGetLibrary", 1, CUDA_ERROR_INVALID_HANDLE),
    ("cuLibraryEnumerateKernels", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuLibraryEnumerateKernels", 2, CUDA_ERROR_INVALID_HANDLE),
    ("cuLibraryGetKernel", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuLibraryGetKernel", 1, CUDA_ERROR_INVALID_HANDLE),
    ("cuLibraryGetKernel", 2, CUDA_ERROR_INVALID_VALUE),
    ("cuLibraryGetKernelCount", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuLibraryGetKernelCount", 1, CUDA_ERROR_INVALID_HANDLE),
    ("cuLibraryGetModule", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuLibraryGetModule", 1, CUDA_ERROR_INVALID_HANDLE),
    ("cuLibraryLoadData", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuLibraryLoadFromFile", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuLibraryUnload", 0, CUDA_ERROR_INVALID_HANDLE),
    ("cuModuleEnumerateFunctions", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuModuleGetFunctionCount", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGreenCtxGetDevResource", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuGreenCtxGetId", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuGreenCtxRecordEvent", 0, CUDA_ERROR_INVALID_CONTEXT),
    ("cuGreenCtxStreamCreate", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGreenCtxStreamCreate", 1, CUDA_ERROR_INVALID_CONTEXT),
    ("cuGreenCtxWaitEvent", 0, CUDA_ERROR_INVALID_CONTEXT),
    ("cuLaunchHostFunc", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphAddDependencies", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphAddDependencies_v2", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphAddEmptyNode", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphAddEventRecordNode", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphDebugDotPrint", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphExecMemsetNodeSetParams", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphNodeGetEnabled", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphNodeSetEnabled", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphAddBatchMemOpNode", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphAddHostNode", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphBatchMemOpNodeGetParams", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphBatchMemOpNodeSetParams", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphExecBatchMemOpNodeSetParams", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphReleaseUserObject", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphRetainUserObject", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuUserObjectRelease", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuUserObjectRetain", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuMemHostGetFlags", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphExecKernelNodeSetParams_v2", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphInstantiateWithParams", 2, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphKernelNodeGetParams_v2", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphKernelNodeSetParams_v2", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphRemoveDependencies", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuGraphRemoveDependencies_v2", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuLaunchKernelEx", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuOccupancyMaxActiveClusters", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuOccupancyMaxActiveClusters", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuOccupancyMaxActiveClusters", 2, CUDA_ERROR_INVALID_VALUE),
    ("cuOccupancyMaxPotentialClusterSize", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuOccupancyMaxPotentialClusterSize", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuOccupancyMaxPotentialClusterSize", 2, CUDA_ERROR_INVALID_VALUE),
    ("cuStreamCreate", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuStreamCreateWithPriority", 0, CUDA_ERROR_INVALID_VALUE),
    ("cuStreamDestroy_v2", 0, CUDA_ERROR_INVALID_HANDLE),
    ("cuStreamGetCaptureInfo_v2", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuStreamGetCaptureInfo_v3", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuStreamGetCtx", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuStreamGetCtx_v2", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuStreamGetDevice", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuStreamGetFlags", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuStreamGetGreenCtx", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuStreamGetId", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuStreamGetPriority", 1, CUDA_ERROR_INVALID_VALUE),
    ("cuStreamIsCapturing", 1, CUDA_ERROR_INVALID_VALUE),
];

/// Calls that work in host functions (F23), those with a stream if it is no default one.
const IN_HOST_FUNCTIONS: &[&str] = &[
    "cuDeviceRegisterAsyncNotification",
    "cuDeviceUnregisterAsyncNotification",
    "cuEventDestroy_v2",
    "cuEventElapsedTime",
    "cuEventElapsedTime_v2",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventRecordWithFlags",
    "cuEventSynchronize",
    "cuGraphAddBatchMemOpNode",
    "cuGraphAddDependencies",
    "cuGraphAddDependencies_v2",
    "cuGraphAddEmptyNode",
    "cuGraphAddHostNode",
    "cuGraphBatchMemOpNodeGetParams",
    "cuGraphBatchMemOpNodeSetParams",
    "cuGraphDebugDotPrint",
    "cuGraphExecBatchMemOpNodeSetParams",
    "cuGraphReleaseUserObject",
    "cuGraphRetainUserObject",
    // Refused by its body, behind a look at arguments, as are the next ones that change something.
    "cuGraphExecKernelNodeSetParams_v2",
    "cuGraphExecMemsetNodeSetParams",
    "cuGraphNodeGetEnabled",
    "cuGraphNodeSetEnabled",
    "cuGraphInstantiateWithParams",
    "cuGraphKernelNodeGetParams_v2",
    "cuGraphKernelNodeSetParams_v2",
    "cuGraphLaunch",
    "cuGraphRemoveDependencies",
    "cuGraphRemoveDependencies_v2",
    "cuGraphUpload",
    "cuInit",
    "cuLaunchCooperativeKernelMultiDevice",
    "cuLaunchHostFunc",
    "cuLaunchKernelEx",
    "cuMemsetD16Async",
    "cuMemsetD32Async",
    "cuMemsetD8Async",
    "cuStreamAttachMemAsync",
    "cuStreamBeginCaptureToGraph",
    "cuStreamBeginCapture_v2",
    "cuStreamCopyAttributes",
    "cuStreamDestroy_v2",
    "cuStreamEndCapture",
    "cuStreamGetAttribute",
    "cuStreamGetCaptureInfo_v2",
    "cuStreamGetCtx",
    "cuStreamGetCtx_v2",
    "cuStreamGetDevice",
    "cuStreamGetFlags",
    "cuStreamGetGreenCtx",
    "cuStreamGetId",
    "cuStreamGetPriority",
    "cuStreamIsCapturing",
    "cuStreamQuery",
    "cuStreamSetAttribute",
    "cuStreamSynchronize",
    "cuStreamUpdateCaptureDependencies",
    "cuStreamUpdateCaptureDependencies_v2",
    "cuStreamWaitEvent",
    "cuStreamWaitValue32_v2",
    "cuStreamWaitValue64_v2",
    "cuStreamWriteValue32_v2",
    "cuStreamWriteValue64_v2",
    "cuThreadExchangeStreamCaptureMode",
    "cuUserObjectRelease",
    "cuUserObjectRetain",
];

thread_local! {
    /// Whether this thread is running a function for `cuLaunchHostFunc` (F23).
    static IN_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f` as a host function of a stream: driver calls in it are refused (F23).
pub(crate) fn in_host_function<R>(f: impl FnOnce() -> R) -> R {
    struct Reset(bool);
    impl Drop for Reset {
        fn drop(&mut self) {
            IN_HOST_FUNCTION.set(self.0);
        }
    }
    let _reset = Reset(IN_HOST_FUNCTION.replace(true));
    domain::off_device(f)
}

/// Refuses what is not allowed in host functions, for bodies that look at arguments before.
pub(crate) fn refuse_in_host_function() -> Answer {
    if is_in_host_function() { Err(CUDA_ERROR_NOT_PERMITTED) } else { Ok(()) }
}

/// Whether the thread is in a host function, where default streams are refused (F23).
pub(crate) fn is_in_host_function() -> bool {
    IN_HOST_FUNCTION.get()
}

/// Runs the body of the driver function `name`; `zeros` says which arguments are null or 0. Takes the body by
/// reference, so that this is compiled once, and not for each function.
pub(crate) fn call(
    name: &'static str,
    zeros: &[bool],
    body: &mut dyn FnMut() -> Answer,
) -> CUresult {
    let (code, struck) = answer(name, zeros, body);
    logs::note(name, code, struck);
    summary::called(name, code);
    code
}

/// The code that it gives, and whether a fault struck it.
fn answer(
    name: &'static str,
    zeros: &[bool],
    body: &mut dyn FnMut() -> Answer,
) -> (CUresult, bool) {
    control::note(name);
    schedule::tick(name);
    let span = trace::Span::new();
    let fault = faults::strike(name);
    let code = perform(name, zeros, fault, body);
    if let Some(span) = span {
        span.called(name, code);
    }
    (code, fault.is_some())
}

/// The same, behind what is noted of every call.
fn perform(
    name: &'static str,
    zeros: &[bool],
    fault: Option<faults::Fault>,
    body: &mut dyn FnMut() -> Answer,
) -> CUresult {
    if let Some(fault) = fault.filter(|fault| !fault.performed) {
        return fault.code;
    }
    let result = catch_unwind(AssertUnwindSafe(|| {
        admit(name, zeros)?;
        body()
    }));
    if let Some(fault) = fault {
        return fault.code;
    }
    match result {
        Ok(Ok(())) => CUDA_SUCCESS,
        Ok(Err(code)) => code,
        Err(_) => CUDA_ERROR_UNKNOWN,
    }
}

/// Whether the function may be called at all, here and now.
fn admit(name: &str, zeros: &[bool]) -> Answer {
    let host_function = IN_HOST_FUNCTION.get();
    if host_function && !ALWAYS.contains(&name) && !IN_HOST_FUNCTIONS.contains(&name) {
        return Err(CUDA_ERROR_NOT_PERMITTED);
    }
    if crate::driver::ready() {
        sticky::admit(name, zeros)?;
        return capture::admit(name);
    }
    if ALWAYS.contains(&name) || (name == "cuInit" && !crate::driver::forked()) {
        return Ok(());
    }
    let looked = LOOK_FIRST.iter().find(|&&(of, index, _)| of == name && zeros[index]);
    Err(looked.map_or(CUDA_ERROR_NOT_INITIALIZED, |&(.., code)| code))
}

/// What an argument can be compared with.
pub(crate) trait Zero {
    /// Whether it is null or 0.
    fn is_zero(&self) -> bool;
}

macro_rules! zero {
    ($($ty:ty),*) => { $(impl Zero for $ty {
        fn is_zero(&self) -> bool {
            *self == 0
        }
    })* };
}
zero!(u8, u16, u32, u64, usize, i32);

macro_rules! transparent_zero {
    ($($ty:ty),*) => { $(impl Zero for $ty {
        fn is_zero(&self) -> bool {
            self.0 == 0
        }
    })* };
}
transparent_zero!(
    CUresult,
    CUarray_format,
    CUGLDeviceList,
    CUmemAllocationType,
    CUcoredumpSettings,
    CUdevResourceType,
    CUdevice_P2PAttribute,
    CUflushGPUDirectRDMAWritesTarget,
    CUflushGPUDirectRDMAWritesScope,
    CUdevice_attribute,
    CUexecAffinityType,
    CUfunc_cache,
    CUfunction_attribute,
    CUlaunchAttributeID,
    CUjitInputType,
    CUlimit,
    CUgraphMem_attribute,
    CUmemAllocationGranularity_flags,
    CUmulticastGranularity_flags,
    CUmemAllocationHandleType,
    CUmemPool_attribute,
    CUmem_advise,
    CUpointer_attribute,
    CUmem_range_attribute,
    CUsharedconfig,
    CUstreamCaptureMode,
    CUtensorMapDataType,
    CUtensorMapFloatOOBfill,
    CUtensorMapIm2ColWideMode,
    CUtensorMapInterleave,
    CUtensorMapL2promotion,
    CUtensorMapSwizzle
);

impl Zero for f32 {
    fn is_zero(&self) -> bool {
        *self == 0.0
    }
}

impl<T> Zero for *mut T {
    fn is_zero(&self) -> bool {
        self.is_null()
    }
}

impl<T> Zero for *const T {
    fn is_zero(&self) -> bool {
        self.is_null()
    }
}

impl Zero for CUmemLocation {
    fn is_zero(&self) -> bool {
        self.r#type.0 == 0
    }
}

impl Zero for CUstreamCallback {
    fn is_zero(&self) -> bool {
        self.is_none()
    }
}

impl Zero for CUoccupancyB2DSize {
    fn is_zero(&self) -> bool {
        self.is_none()
    }
}

impl Zero for CUasyncCallback {
    fn is_zero(&self) -> bool {
        self.is_none()
    }
}

impl Zero for CUlogsCallback {
    fn is_zero(&self) -> bool {
        self.is_none()
    }
}

impl Zero for CUhostFn {
    fn is_zero(&self) -> bool {
        self.is_none()
    }
}

/// Defines driver functions: each runs its body under [`call`]. The body gives an [`Answer`]. They are
/// exported in [`exports`](crate::exports).
macro_rules! driver {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => { $(
        $(#[$meta])*
        ///
        /// # Safety
        ///
        /// As for the driver's function of the same name: pointers lead to what it reads or writes.
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> cuscope_sys::CUresult {
            let zeros = [$($crate::entry::Zero::is_zero(&$arg)),*];
            $crate::entry::call(stringify!($name), &zeros, &mut move || $body)
        }
    )* };
}
pub(crate) use driver;

/// Writes a result through a pointer of the caller; null is INVALID_VALUE.
pub(crate) fn write<T>(to: *mut T, value: T) -> Answer {
    if to.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    // SAFETY: not null; that it leads to writable room for a `T` is the contract of every driver
    // function with a result, and only such functions call this, with the type of the declaration.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Writes a result through a pointer that may be null for "not wanted".
pub(crate) fn write_optional<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // Cannot fail: not null.
        let _ = write(to, value);
    }
}

/// Null is INVALID_VALUE: for results that are written after something happened.
pub(crate) fn wanted<T>(to: *const T) -> Answer {
    if to.is_null() { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(()) }
}

/// Reads an argument through a pointer; null is INVALID_VALUE.
pub(crate) fn read<T: Copy>(from: *const T) -> Answer<T> {
    wanted(from)?;
    // SAFETY: not null; that it leads to a `T` is the contract of every driver function that
    // takes a structure or an array by pointer, and only those call this.
    Ok(unsafe { from.read_unaligned() })
}

/// The `index`-th element of an array that the caller passed.
pub(crate) fn element<T: Copy>(array: *const T, index: usize) -> Answer<T> {
    wanted(array)?;
    // Never dereferenced here: `read` does, under the contract that the array has the element.
    read(array.wrapping_add(index))
}

/// A C string argument; null is INVALID_VALUE.
pub(crate) fn text<'a>(from: *const c_char) -> Answer<&'a CStr> {
    wanted(from)?;
    // SAFETY: not null; that it is a string which ends in NUL, unchanged during the call, is the
    // contract of every driver function that takes one; no caller keeps the reference.
    Ok(unsafe { CStr::from_ptr(from) })
}

/// The name of a file; null is INVALID_VALUE.
pub(crate) fn path(from: *const c_char) -> Answer<PathBuf> {
    let name = text(from)?.to_bytes();
    #[cfg(unix)]
    let path = <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name);
    #[cfg(not(unix))]
    let path = String::from_utf8_lossy(name).into_owned();
    Ok(path.into())
}

/// Writes a string of at most `len` bytes with its NUL, cut off if longer.
pub(crate) fn write_text(to: *mut c_char, len: c_int, value: &str) -> Answer {
    wanted(to)?;
    // The length counts as unsigned.
    let room = len as c_uint as usize;
    if room == 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let taken = value.len().min(room - 1);
    for (i, byte) in value.bytes().take(taken).chain([0]).enumerate() {
        write(to.wrapping_add(i), byte as c_char)?;
    }
    Ok(())
}
