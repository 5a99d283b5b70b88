//! Modules: loaded code.

use crate::{CUdeviceptr, CUfunction, CUmodule, CUresult};
use core::ffi::{c_char, c_uint, c_void};

enumeration! {
    /// What to tell the compiler of PTX.
    pub enum CUjit_option: c_uint {
        /// A buffer for messages: `*mut c_char`.
        CU_JIT_INFO_LOG_BUFFER = 3,
        /// In: its size in bytes; out: how much was written. A `c_uint` in place of a pointer.
        CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
        /// A buffer for errors: `*mut c_char`.
        CU_JIT_ERROR_LOG_BUFFER = 5,
        /// In: its size in bytes; out: how much was written. A `c_uint` in place of a pointer.
        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
    }
}

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! module_functions { ($with:path) => { $with! {
    /// Loads a file of PTX, cubin or fatbin into the current context.
    fn cuModuleLoad(module: *mut CUmodule, fname: *const c_char) -> CUresult;
    /// Loads PTX (text that ends in NUL), cubin or fatbin from memory into the current context.
    fn cuModuleLoadData(module: *mut CUmodule, image: *const c_void) -> CUresult;
    /// As `cuModuleLoadData`, with options for the compiler of PTX.
    fn cuModuleLoadDataEx(module: *mut CUmodule, image: *const c_void, numOptions: c_uint, options: *mut CUjit_option, optionValues: *mut *mut c_void) -> CUresult;
    /// Unloads a module, once all work of its context is finished.
    fn cuModuleUnload(hmod: CUmodule) -> CUresult;
    /// A kernel of a module, by name.
    fn cuModuleGetFunction(hfunc: *mut CUfunction, hmod: CUmodule, name: *const c_char) -> CUresult;
    /// Address and size of a variable of a module, by name.
    fn cuModuleGetGlobal_v2(dptr: *mut CUdeviceptr, bytes: *mut usize, hmod: CUmodule, name: *const c_char) -> CUresult;
} } }
module_functions!(declare);
