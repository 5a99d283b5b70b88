//! Modules, and the linker of device code.

use crate::types::*;
use core::ffi::{c_char, c_uint, c_void};

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! module_functions { ($with:path) => { $with! {
    /// Loads a file of PTX, cubin or fatbin into the current context.
    2000 fn cuModuleLoad(module: *mut CUmodule, fname: *const c_char) -> CUresult;
    /// Loads PTX (text that ends in NUL), cubin or fatbin from memory into the current context.
    2000 fn cuModuleLoadData(module: *mut CUmodule, image: *const c_void) -> CUresult;
    /// As `cuModuleLoadData`, with options for the compiler of PTX.
    2010 fn cuModuleLoadDataEx(module: *mut CUmodule, image: *const c_void, numOptions: c_uint, options: *mut CUjit_option, optionValues: *mut *mut c_void) -> CUresult;
    /// Loads a fatbin from memory into the current context.
    2000 fn cuModuleLoadFatBinary(module: *mut CUmodule, fatCubin: *const c_void) -> CUresult;
    /// Unloads a module, once all work of its context is finished.
    2000 fn cuModuleUnload(hmod: CUmodule) -> CUresult;
    /// Whether modules are loaded whole or function by function as they are used.
    11070 fn cuModuleGetLoadingMode(mode: *mut CUmoduleLoadingMode) -> CUresult;
    /// A kernel of a module, by name.
    2000 fn cuModuleGetFunction(hfunc: *mut CUfunction, hmod: CUmodule, name: *const c_char) -> CUresult;
    /// Address and size of a variable of a module, by name; either pointer may be null.
    3020 fn cuModuleGetGlobal_v2(dptr: *mut CUdeviceptr, bytes: *mut usize, hmod: CUmodule, name: *const c_char) -> CUresult;
    /// Starts to link device code in the current context. The options and their values must live until `cuLinkDestroy`.
    6050 fn cuLinkCreate_v2(numOptions: c_uint, options: *mut CUjit_option, optionValues: *mut *mut c_void, stateOut: *mut CUlinkState) -> CUresult;
    /// Adds an input from memory to a link; `name` is for messages, and may be null.
    6050 fn cuLinkAddData_v2(state: CUlinkState, type_: CUjitInputType, data: *mut c_void, size: usize, name: *const c_char, numOptions: c_uint, options: *mut CUjit_option, optionValues: *mut *mut c_void) -> CUresult;
    /// Adds a file to a link.
    6050 fn cuLinkAddFile_v2(state: CUlinkState, type_: CUjitInputType, path: *const c_char, numOptions: c_uint, options: *mut CUjit_option, optionValues: *mut *mut c_void) -> CUresult;
    /// Ends a link. The cubin, `sizeOut` bytes, belongs to the link state and dies with it.
    5050 fn cuLinkComplete(state: CUlinkState, cubinOut: *mut *mut c_void, sizeOut: *mut usize) -> CUresult;
    /// Destroys the state of a link.
    5050 fn cuLinkDestroy(state: CUlinkState) -> CUresult;
} } }
module_functions!(declare);

/// Hands the functions of this group that CUDA 12.0 does not have to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! module_newer_functions { ($with:path) => { $with! {
    /// The number of kernels in a module.
    12040 fn cuModuleGetFunctionCount(count: *mut c_uint, mod_: CUmodule) -> CUresult;
    /// Writes at most `numFunctions` of the kernels in a module.
    12040 fn cuModuleEnumerateFunctions(functions: *mut CUfunction, numFunctions: c_uint, mod_: CUmodule) -> CUresult;
} } }
module_newer_functions!(lookup);

// skipped cuModuleGetGlobal: 32-bit addresses; superseded by cuModuleGetGlobal_v2
// skipped cuLinkCreate: superseded by cuLinkCreate_v2
// skipped cuLinkAddData: superseded by cuLinkAddData_v2
// skipped cuLinkAddFile: superseded by cuLinkAddFile_v2
// skipped cuModuleGetTexRef: texture references are deprecated and gone from CUDA 12; use cuTexObjectCreate
// skipped cuModuleGetSurfRef: surface references are deprecated and gone from CUDA 12; use cuSurfObjectCreate
