//! The driver functions about [`function`](crate::model::function).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry::Answer;
use crate::model::function::function;
use crate::{entry, summary, sync};
use core::ffi::{CStr, c_char, c_int};
use cuscope_ptx as ptx;
use cuscope_sys::*;
use std::sync::atomic::Ordering;

/// Writes the address of a name that lives as long as what it is of.
pub(crate) fn write_name(to: *mut *const c_char, name: &CStr) -> Answer {
    entry::write(to, name.as_ptr())
}

driver! {
    /// One attribute of a kernel.
    fn cuFuncGetAttribute(pi: *mut c_int, attrib: CUfunction_attribute, hfunc: CUfunction) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        null(2) = CUDA_ERROR_INVALID_HANDLE,
        looks_first,
    ] {
        entry::wanted(pi)?;
        let function = function(hfunc)?;
        let settings = sync::lock(&function.settings);
        entry::write(pi, settings.get(&function.module.code, function.kernel(), attrib)?)
    }
    /// Sets an attribute of a kernel; not all can be set (F273, F310).
    fn cuFuncSetAttribute(hfunc: CUfunction, attrib: CUfunction_attribute, value: c_int) {
        let function = function(hfunc)?;
        sync::lock(&function.settings).set(function.kernel(), attrib, value)
    }
    /// Prefers a split of L1 cache and shared memory: nothing here depends on it (F273).
    fn cuFuncSetCacheConfig(hfunc: CUfunction, config: CUfunc_cache) {
        let _function = function(hfunc)?;
        if config > CU_FUNC_CACHE_PREFER_EQUAL { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(()) }
    }
    /// Asks for a width of banks, and gets four bytes (F273).
    fn cuFuncSetSharedMemConfig(hfunc: CUfunction, config: CUsharedconfig) {
        let _function = function(hfunc)?;
        let known = config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE;
        if known { Ok(()) } else { Err(CUDA_ERROR_INVALID_VALUE) }
    }
    /// The module of a kernel (F270).
    fn cuFuncGetModule(hmod: *mut CUmodule, hfunc: CUfunction) {
        entry::wanted(hmod)?;
        entry::wanted(hfunc)?;
        let module = function(hfunc)?.module.handle;
        entry::write(hmod, std::ptr::without_provenance_mut(module))
    }
    /// The name of a kernel (F270).
    fn cuFuncGetName(name: *mut *const c_char, hfunc: CUfunction) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        null(1) = CUDA_ERROR_INVALID_VALUE,
    ] {
        entry::wanted(name)?;
        entry::wanted(hfunc)?;
        write_name(name, &function(hfunc)?.name)
    }
    /// Whether the code of a kernel is on the device (F271).
    fn cuFuncIsLoaded(state: *mut CUfunctionLoadingState, function: CUfunction) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        null(1) = CUDA_ERROR_INVALID_HANDLE,
    ] {
        entry::wanted(state)?;
        let loaded = self::function(function)?.loaded.load(Ordering::Acquire);
        entry::write(state, match loaded {
            true => CU_FUNCTION_LOADING_STATE_LOADED,
            false => CU_FUNCTION_LOADING_STATE_UNLOADED,
        })
    }
    /// Brings the code of a kernel to the device (F271).
    fn cuFuncLoad(function: CUfunction) [null(0) = CUDA_ERROR_INVALID_HANDLE] {
        self::function(function)?.load();
        Ok(())
    }
    /// Where a parameter is, and how large (F92, F196).
    fn cuFuncGetParamInfo(
        func: CUfunction,
        paramIndex: usize,
        paramOffset: *mut usize,
        paramSize: *mut usize,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE, null(2) = CUDA_ERROR_INVALID_VALUE] {
        entry::wanted(paramOffset)?;
        entry::wanted(func)?;
        write_param(function(func)?.kernel(), paramIndex, paramOffset, paramSize)
    }
}

/// Writes where a parameter is, and how large.
pub(crate) fn write_param(
    kernel: &ptx::Kernel,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> Answer {
    let Some(param) = kernel.params.get(index) else {
        // The way to learn how many there are.
        summary::expected();
        return Err(CUDA_ERROR_INVALID_VALUE);
    };
    entry::write(offset, param.offset)?;
    entry::write_optional(size, param.size);
    Ok(())
}
