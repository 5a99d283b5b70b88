//! The driver functions about [`module`](crate::model::module).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry::Answer;
use crate::image::{MACHINE_CODE, ptx_to_load};
use crate::model::device::MAX_CONSTANT;
use crate::model::function::FUNCTIONS;
use crate::model::jit::Logs;
use crate::model::module::MODULES;
use crate::model::module::{Module, TARGET, code, constant_bytes, instantiate};
use crate::model::{capture, stack};
use crate::{entry, sticky, summary};
use core::ffi::{c_char, c_uint, c_void};
use cuscope_ptx as ptx;
use cuscope_sys::*;
use std::io;
use std::sync::Arc;

/// The compiler's message for an image of no known kind.
const NO_IMAGE: &str = "error   : Binary format for key='0', ident='' is not recognized";
/// The compiler's message for code for a newer device.
const NEWER_TARGET: &str =
    "ptxas fatal   : SM version specified by .target is higher than default SM version assumed";

/// The module of a handle; 400 for what is none (F42).
fn find(handle: CUmodule) -> Answer<Arc<Module>> {
    sticky::check_found(MODULES.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE))
}

/// Compiles PTX; what the compiler has to say goes to `log`.
pub(crate) fn compile(source: &[u8], log: &Logs) -> Answer<ptx::Module> {
    if log.refuse_ptx() {
        log.write("");
        return Err(CUDA_ERROR_INVALID_PTX);
    }
    let source = String::from_utf8_lossy(source);
    let mut code = ptx::Module::parse(&source).map_err(|error| {
        log.write(error.log.trim_end());
        summary::refused_ptx(&error.log, &source);
        code(&error)
    })?;
    if let Some(most) = log.max_registers() {
        let limited = code.kernels.iter_mut().filter(|kernel| !kernel.block.limits_registers());
        limited.for_each(|kernel| kernel.limit_registers(most));
    }
    if code.target > TARGET {
        log.write(NEWER_TARGET);
        summary::refused_ptx(
            &format!("it is for sm_{}, and the device is sm_{TARGET}", code.target),
            &source,
        );
        return Err(CUDA_ERROR_INVALID_PTX);
    }
    if constant_bytes(&code) > MAX_CONSTANT {
        return Err(CUDA_ERROR_INVALID_PTX);
    }
    log.succeeded(Some(&code));
    Ok(code)
}

/// The PTX of an image; what is none is told in `log`.
pub(crate) fn image(image: *const c_void, log: &Logs) -> Answer<Vec<u8>> {
    ptx_to_load(image).inspect_err(|&code| match code {
        CUDA_ERROR_INVALID_IMAGE => log.write(NO_IMAGE),
        CUDA_ERROR_NO_BINARY_FOR_GPU => log.write(&format!("error   : {MACHINE_CODE}")),
        _ => log.write(""),
    })
}

/// Loads PTX into the current context.
fn load(to: *mut CUmodule, source: &[u8], log: &Logs) -> Answer {
    let life = crate::calls::stack::current_home()?;
    let code = Arc::new(compile(source, log)?);
    let module = instantiate(life, code, None)?;
    entry::write(to, std::ptr::without_provenance_mut(module.handle))
}

driver! {
    /// Loads a file of PTX (F63).
    fn cuModuleLoad(module: *mut CUmodule, fname: *const c_char) [needs_current] {
        let _current = stack::current_life()?;
        entry::wanted(module)?;
        let name = entry::path(fname)?;
        if name.as_os_str().is_empty() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let file = std::fs::read(name).map_err(|error| match error.kind() {
            // The driver's answer for a folder.
            io::ErrorKind::OutOfMemory | io::ErrorKind::IsADirectory => CUDA_ERROR_OUT_OF_MEMORY,
            _ => CUDA_ERROR_FILE_NOT_FOUND,
        })?;
        // Text gets a NUL in case there is none, and whatever it is, zeros to tell by.
        let file: Vec<u8> = file.into_iter().chain([0; 128]).collect();
        load(module, &ptx_to_load(file.as_ptr().cast())?, &Logs::default())
    }
    /// Loads PTX from memory (F63).
    fn cuModuleLoadData(module: *mut CUmodule, image: *const c_void) [needs_current] {
        let _current = stack::current_life()?;
        entry::wanted(module)?;
        load(module, &ptx_to_load(image)?, &Logs::default())
    }
    /// Loads the PTX in a fatbin, and whatever else can be loaded (F281).
    fn cuModuleLoadFatBinary(module: *mut CUmodule, fatCubin: *const c_void) {
        let _current = stack::current_life()?;
        entry::wanted(module)?;
        load(module, &ptx_to_load(fatCubin)?, &Logs::default())
    }
    /// Loads PTX from memory and says what is wrong with it.
    fn cuModuleLoadDataEx(
        module: *mut CUmodule,
        image: *const c_void,
        numOptions: c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut c_void,
    ) [needs_current] {
        let _current = stack::current_life()?;
        entry::wanted(module)?;
        let logs = Logs::new(numOptions, options, optionValues)?;
        load(module, &self::image(image, &logs)?, &logs)
    }
    /// Unloads, once all work of the context is finished (F50). That of a library is NOT_PERMITTED (F285).
    fn cuModuleUnload(hmod: CUmodule) [looks_first] {
        let known = find(hmod)?;
        if known.library.is_some() {
            return Err(CUDA_ERROR_NOT_PERMITTED);
        }
        capture::check_unsafe()?;
        let module = MODULES.remove(hmod.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        module.end();
        sticky::find_out();
        Ok(())
    }
    /// Kernels are loaded as they are used (F274).
    fn cuModuleGetLoadingMode(mode: *mut CUmoduleLoadingMode) {
        // The real driver dies of null.
        entry::write(mode, CU_MODULE_LAZY_LOADING)
    }
    /// How many kernels there are (F270).
    fn cuModuleGetFunctionCount(count: *mut c_uint, mod_: CUmodule) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
    ] {
        entry::wanted(count)?;
        entry::write(count, find(mod_)?.code.kernels.len() as c_uint)
    }
    /// The first so many kernels, in the order of the text. They are not loaded by that (F270, F271).
    fn cuModuleEnumerateFunctions(
        functions: *mut CUfunction,
        numFunctions: c_uint,
        mod_: CUmodule,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE] {
        entry::wanted(functions)?;
        let module = find(mod_)?;
        for kernel in 0..module.code.kernels.len().min(numFunctions as usize) {
            let handle = module.function(kernel, None);
            let place = functions.wrapping_add(kernel);
            entry::write(place, std::ptr::without_provenance_mut(handle))?;
        }
        Ok(())
    }
    /// A kernel by name, with the same handle each time; the code of the fault if there was one (F534).
    fn cuModuleGetFunction(hfunc: *mut CUfunction, hmod: CUmodule, name: *const c_char) [
        looks_first,
    ] {
        entry::wanted(hfunc)?;
        let module = find(hmod)?;
        let name = entry::text(name)?.to_bytes();
        if name.is_empty() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let kernels = &module.code.kernels;
        let kernel = kernels.iter().position(|kernel| kernel.name.as_bytes() == name);
        let kernel = kernel.ok_or(CUDA_ERROR_NOT_FOUND)?;
        let handle = module.function(kernel, None);
        if let Some(function) = FUNCTIONS.get(handle) {
            function.load();
        }
        entry::write(hfunc, std::ptr::without_provenance_mut(handle))
    }
    /// A variable by name; one of the results may be unwanted. The name of a kernel is
    /// INVALID_VALUE.
    fn cuModuleGetGlobal_v2(
        dptr: *mut CUdeviceptr,
        bytes: *mut usize,
        hmod: CUmodule,
        name: *const c_char,
    ) {
        let module = find(hmod)?;
        module.write_variable(entry::text(name)?.to_bytes(), dptr, bytes)
    }
}
