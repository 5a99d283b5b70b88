//! Libraries: code that is loaded into every context, and its kernels.

use crate::types::*;
use core::ffi::{c_char, c_int, c_uint, c_void};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! library_functions { ($with:path) => { $with! {
    /// Loads PTX, cubin or fatbin from memory as a library, for the contexts that exist and those to come.
    12000 fn cuLibraryLoadData(library: *mut CUlibrary, code: *const c_void, jitOptions: *mut CUjit_option, jitOptionsValues: *mut *mut c_void, numJitOptions: c_uint, libraryOptions: *mut CUlibraryOption, libraryOptionValues: *mut *mut c_void, numLibraryOptions: c_uint) -> CUresult;
    /// As `cuLibraryLoadData`, from a file.
    12000 fn cuLibraryLoadFromFile(library: *mut CUlibrary, fileName: *const c_char, jitOptions: *mut CUjit_option, jitOptionsValues: *mut *mut c_void, numJitOptions: c_uint, libraryOptions: *mut CUlibraryOption, libraryOptionValues: *mut *mut c_void, numLibraryOptions: c_uint) -> CUresult;
    /// Unloads a library from all contexts.
    12000 fn cuLibraryUnload(library: CUlibrary) -> CUresult;
    /// A kernel of a library, by name.
    12000 fn cuLibraryGetKernel(pKernel: *mut CUkernel, library: CUlibrary, name: *const c_char) -> CUresult;
    /// The module that a library is in the current context.
    12000 fn cuLibraryGetModule(pMod: *mut CUmodule, library: CUlibrary) -> CUresult;
    /// Address and size in bytes of a variable of a library in the current context, by name.
    12000 fn cuLibraryGetGlobal(dptr: *mut CUdeviceptr, bytes: *mut usize, library: CUlibrary, name: *const c_char) -> CUresult;
    /// Address and size in bytes of a managed variable of a library, by name.
    12000 fn cuLibraryGetManaged(dptr: *mut CUdeviceptr, bytes: *mut usize, library: CUlibrary, name: *const c_char) -> CUresult;
    /// The address of a unified function of a library, by name; valid on host and device.
    12000 fn cuLibraryGetUnifiedFunction(fptr: *mut *mut c_void, library: CUlibrary, symbol: *const c_char) -> CUresult;
    /// Gives the function that a kernel of a library is in the current context.
    12000 fn cuKernelGetFunction(pFunc: *mut CUfunction, kernel: CUkernel) -> CUresult;
    /// One attribute of a kernel on a device.
    12000 fn cuKernelGetAttribute(pi: *mut c_int, attrib: CUfunction_attribute, kernel: CUkernel, dev: CUdevice) -> CUresult;
    /// Sets an attribute of a kernel on a device, for all contexts of that device.
    12000 fn cuKernelSetAttribute(attrib: CUfunction_attribute, val: c_int, kernel: CUkernel, dev: CUdevice) -> CUresult;
    /// Prefers a split of L1 cache and shared memory for a kernel on a device.
    12000 fn cuKernelSetCacheConfig(kernel: CUkernel, config: CUfunc_cache, dev: CUdevice) -> CUresult;
} } }
library_functions!(declare);

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! library_newer_functions { ($with:path) => { $with! {
    /// The number of kernels in a library.
    12040 fn cuLibraryGetKernelCount(count: *mut c_uint, lib: CUlibrary) -> CUresult;
    /// Writes at most `numKernels` of the kernels in a library.
    12040 fn cuLibraryEnumerateKernels(kernels: *mut CUkernel, numKernels: c_uint, lib: CUlibrary) -> CUresult;
    /// The library that a kernel belongs to.
    12050 fn cuKernelGetLibrary(pLib: *mut CUlibrary, kernel: CUkernel) -> CUresult;
    /// The name of a kernel, mangled if it is of C++; the string lives as long as the library.
    12030 fn cuKernelGetName(name: *mut *const c_char, hfunc: CUkernel) -> CUresult;
    /// Offset and size in bytes of one parameter of a kernel; `paramSize` may be null.
    12040 fn cuKernelGetParamInfo(kernel: CUkernel, paramIndex: usize, paramOffset: *mut usize, paramSize: *mut usize) -> CUresult;
    /// The number of parameters of a kernel.
    13020 fn cuKernelGetParamCount(kernel: CUkernel, paramCount: *mut usize) -> CUresult;
} } }
library_newer_functions!(lookup);
