//! Modules: loading, unloading, and finding kernels and variables.
#![allow(unsafe_code, reason = "exported functions; the image is read until its end shows")]

use crate::device::MAX_CONSTANT;
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::function::{Function, Settings};
use crate::image::{MACHINE_CODE, ptx_to_load};
use crate::jit::Logs;
use crate::life::Life;
use crate::memory::space::Kind;
use crate::ptx::{self, GlobalSpace, ParseError, ParseErrorKind};
use crate::{capture, stack, sticky, summary, sync};
use core::ffi::{c_char, c_uint, c_void};
use cuscope_sys::*;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

/// The compute capability, as PTX writes it: code for a newer one does not run.
pub(crate) const TARGET: u32 = 90;

/// What the compiler says of an image that is nothing known.
const NO_IMAGE: &str = "error   : Binary format for key='0', ident='' is not recognized";
/// What the compiler says of code for a newer device.
const NEWER_TARGET: &str =
    "ptxas fatal   : SM version specified by .target is higher than default SM version assumed";

/// A loaded module.
pub(crate) struct Module {
    pub(crate) handle: usize,
    pub(crate) life: Arc<Life>,
    pub(crate) code: Arc<ptx::Module>,
    /// The addresses of its variables.
    pub(crate) addresses: Vec<u64>,
    /// The library that it is a part of: it cannot be unloaded alone.
    pub(crate) library: Option<usize>,
    /// The handles of its kernels that were asked for, by index.
    functions: Mutex<HashMap<usize, usize>>,
}

impl Module {
    /// The handle of a kernel, the same each time; `settings` are those that it has at first.
    pub(crate) fn function(self: &Arc<Self>, kernel: usize, settings: Option<Settings>) -> usize {
        let mut functions = sync::lock(&self.functions);
        *functions.entry(kernel).or_insert_with(|| {
            let module = self.clone();
            let settings = settings.unwrap_or_else(|| Settings::new(&self.code.kernels[kernel]));
            state().functions.insert(|_| Function::new(module, kernel, settings)).0
        })
    }

    /// Ends what was taken out of the registry, once all work of the context is finished (F50).
    pub(crate) fn end(&self) {
        for (_, handle) in sync::lock(&self.functions).drain() {
            state().functions.remove(handle);
        }
        self.life.settle();
        free(&self.addresses);
    }

    /// Writes address and size of a variable; one of the results may be unwanted. The name of a kernel is
    /// INVALID_VALUE.
    pub(crate) fn write_variable(
        &self,
        name: &[u8],
        address_to: *mut CUdeviceptr,
        bytes_to: *mut usize,
    ) -> Answer {
        let kernel = self.code.kernels.iter().any(|kernel| kernel.name.as_bytes() == name);
        if kernel || name.is_empty() || (address_to.is_null() && bytes_to.is_null()) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let mut variables = self.code.globals.iter().zip(&self.addresses);
        let found = variables.find(|(variable, _)| variable.name.as_bytes() == name);
        let (variable, &address) = found.ok_or(CUDA_ERROR_NOT_FOUND)?;
        entry::write_optional(address_to, address);
        entry::write_optional(bytes_to, variable.size);
        Ok(())
    }
}

/// Bytes of a module's constants, each behind the one before.
pub(crate) fn constant_bytes(code: &ptx::Module) -> usize {
    let constants = code.globals.iter().filter(|variable| variable.space == GlobalSpace::Const);
    constants.fold(0, |end, one| end.next_multiple_of(one.align.max(1)) + one.size)
}

/// The module of a handle; 400 for what is none (F42).
fn find(handle: CUmodule) -> Answer<Arc<Module>> {
    sticky::check_found(state().modules.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE))
}

/// The code for an error in PTX (F63).
pub(crate) fn code(error: &ParseError) -> CUresult {
    match error.kind {
        ParseErrorKind::UnsupportedVersion => CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
        _ => CUDA_ERROR_INVALID_PTX,
    }
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
    let life = stack::current_home()?;
    let code = Arc::new(compile(source, log)?);
    let module = instantiate(life, code, None)?;
    entry::write(to, std::ptr::without_provenance_mut(module.handle))
}

/// Brings code to a context, once all work of that is finished (F50).
pub(crate) fn instantiate(
    life: Arc<Life>,
    code: Arc<ptx::Module>,
    library: Option<usize>,
) -> Answer<Arc<Module>> {
    life.synchronize()?;
    let space = &state().space;
    let mut addresses = Vec::new();
    for variable in &code.globals {
        match space.allocate(&life, variable.size.max(1), Kind::Variable) {
            Ok(address) => addresses.push(address),
            Err(error) => {
                free(&addresses);
                return Err(error);
            }
        }
    }
    for (i, &address) in addresses.iter().enumerate() {
        let bytes = code.initial_bytes(i, &addresses);
        let variable = space.exactly(address, Kind::Variable)?;
        variable.storage.store(0, &bytes[..bytes.len().min(variable.size)]);
    }
    let functions = Mutex::default();
    let make = |handle| Module { handle, life, code, addresses, library, functions };
    Ok(state().modules.insert(make).1)
}

/// Frees variables.
fn free(addresses: &[u64]) {
    let space = &state().space;
    for &address in addresses {
        if let Ok(variable) = space.exactly(address, Kind::Variable)
            && space.retire(&variable).is_ok()
        {
            space.take(&variable);
        }
    }
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
            // What the driver says of a folder.
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
        let module = state().modules.remove(hmod.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
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
        if let Some(function) = state().functions.get(handle) {
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
