//! Modules: loading, unloading, and finding kernels and variables.
#![allow(unsafe_code, reason = "exported functions; the image is read until its end shows")]

use crate::device::MAX_CONSTANT;
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::life::Life;
use crate::memory::space::Kind;
use crate::ptx::{self, GlobalSpace, ParseError, ParseErrorKind};
use crate::{capture, stack, sync};
use core::ffi::{CStr, c_char, c_uint, c_void};
use cuscope_sys::*;
use std::collections::HashMap;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The compute capability, as PTX writes it: code for a newer one does not run.
pub(crate) const TARGET: u32 = 90;

/// The number of options that the compiler has.
const OPTIONS: c_uint = 34;
/// What the compiler says of an image that is nothing known.
const NO_IMAGE: &str = "error   : Binary format for key='0', ident='' is not recognized";
/// What the compiler says of code for a newer device.
const NEWER_TARGET: &str =
    "ptxas fatal   : SM version specified by .target is higher than default SM version assumed";

/// A loaded module.
pub(crate) struct Module {
    pub(crate) life: Arc<Life>,
    pub(crate) code: ptx::Module,
    /// The addresses of its variables.
    pub(crate) addresses: Vec<u64>,
    /// The handles of its kernels that were asked for, by index.
    functions: Mutex<HashMap<usize, usize>>,
}

/// A kernel of a module.
pub(crate) struct Function {
    pub(crate) module: Arc<Module>,
    /// Its index.
    pub(crate) kernel: usize,
}

impl Function {
    /// Its code.
    pub(crate) fn kernel(&self) -> &ptx::Kernel {
        &self.module.code.kernels[self.kernel]
    }
}

impl Module {
    /// Bytes of its constants, each behind the one before.
    pub(crate) fn constant_bytes(&self) -> usize {
        constant_bytes(&self.code)
    }
}

/// Bytes of a module's constants, each behind the one before.
fn constant_bytes(code: &ptx::Module) -> usize {
    let constants = code.globals.iter().filter(|variable| variable.space == GlobalSpace::Const);
    constants.fold(0, |end, one| end.next_multiple_of(one.align.max(1)) + one.size)
}

/// The function of a handle; 400 for what is none (F42).
pub(crate) fn function(handle: CUfunction) -> Answer<Arc<Function>> {
    state().functions.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)
}

/// The module of a handle; 400 for what is none (F42).
fn find(handle: CUmodule) -> Answer<Arc<Module>> {
    state().modules.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)
}

/// The text of an image; anything that does not begin as PTX does is an INVALID_IMAGE.
fn text_of_image<'a>(image: *const c_void) -> Answer<&'a CStr> {
    let at = |i: usize| entry::element(image.cast::<u8>(), i);
    let mut start = 0;
    while at(start)?.is_ascii_whitespace() {
        start += 1;
    }
    let begins = match at(start)? {
        b'/' => matches!(at(start + 1)?, b'/' | b'*'),
        _ => b".version"
            .iter()
            .enumerate()
            .try_fold(true, |same, (i, byte)| Ok(same && at(start + i)? == *byte))?,
    };
    if begins { entry::text(image.cast()) } else { Err(CUDA_ERROR_INVALID_IMAGE) }
}

/// The code for an error in PTX (F63).
fn code(error: &ParseError) -> CUresult {
    match error.kind {
        ParseErrorKind::UnsupportedVersion => CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
        _ => CUDA_ERROR_INVALID_PTX,
    }
}

/// Loads PTX into the current context, once all work of that is finished (F50); what the compiler
/// has to say goes to `log`.
fn load(to: *mut CUmodule, source: &[u8], log: &Logs) -> Answer {
    let life = stack::current_home()?;
    let parsed = ptx::Module::parse(&String::from_utf8_lossy(source));
    let code = parsed.map_err(|error| {
        log.write(error.log.trim_end());
        code(&error)
    })?;
    if code.target > TARGET {
        log.write(NEWER_TARGET);
        return Err(CUDA_ERROR_INVALID_PTX);
    }
    if constant_bytes(&code) > MAX_CONSTANT {
        return Err(CUDA_ERROR_INVALID_PTX);
    }
    log.write("");
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
    let module = Module { life, code, addresses, functions: Mutex::default() };
    let (handle, _) = state().modules.insert(|_| module);
    entry::write(to, std::ptr::without_provenance_mut(handle))
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

/// The buffers for what the compiler says: of errors, which may be given more than once.
#[derive(Default)]
struct Logs {
    buffer: Option<*mut c_char>,
    size: usize,
    /// Where the number of bytes goes.
    written: Option<*mut *mut c_void>,
    /// Where the length of the empty information log goes.
    info: Option<*mut c_char>,
    info_size: usize,
    info_written: Option<*mut *mut c_void>,
}

impl Logs {
    /// Reads the options; those that are not about logs are ignored.
    fn new(count: c_uint, options: *const CUjit_option, values: *mut *mut c_void) -> Answer<Self> {
        let mut logs = Self::default();
        for i in 0..count as usize {
            let value = entry::element(values, i)?;
            // A number in place of a pointer: its low 32 bits.
            let number = value.addr() as c_uint as usize;
            let slot = values.wrapping_add(i);
            match entry::element(options, i)? {
                CUjit_option(OPTIONS..) => return Err(CUDA_ERROR_INVALID_VALUE),
                CU_JIT_ERROR_LOG_BUFFER => logs.buffer = Some(value.cast()),
                CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES => {
                    (logs.size, logs.written) = (number, Some(slot));
                }
                CU_JIT_INFO_LOG_BUFFER => logs.info = Some(value.cast()),
                CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES => {
                    (logs.info_size, logs.info_written) = (number, Some(slot));
                }
                _ => {}
            }
        }
        Ok(logs)
    }

    /// Writes the log of errors, and an empty one of information.
    fn write(&self, log: &str) {
        fill(self.buffer, self.size, self.written, log);
        fill(self.info, self.info_size, self.info_written, "");
    }
}

/// Writes a log, cut off to its buffer with the NUL, and its length or that of the buffer.
fn fill(buffer: Option<*mut c_char>, size: usize, written: Option<*mut *mut c_void>, log: &str) {
    let taken = match buffer {
        Some(buffer) if size > 0 && !buffer.is_null() => {
            let taken = log.len().min(size - 1);
            for (i, byte) in log.bytes().take(taken).chain([0]).enumerate() {
                entry::write_optional(buffer.wrapping_add(i), byte as c_char);
            }
            if size == 1 { 0 } else { log.len().min(size) }
        }
        _ => 0,
    };
    if let Some(slot) = written {
        entry::write_optional(slot, std::ptr::without_provenance_mut(taken));
    }
}

driver! {
    /// Loads a file of PTX (F63).
    fn cuModuleLoad(module: *mut CUmodule, fname: *const c_char) {
        let _current = stack::current_life()?;
        entry::wanted(module)?;
        let name = std::ffi::OsStr::from_bytes(entry::text(fname)?.to_bytes());
        if name.is_empty() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let file = std::fs::read(Path::new(name)).map_err(|error| match error.kind() {
            // What the driver says of a folder.
            io::ErrorKind::OutOfMemory | io::ErrorKind::IsADirectory => CUDA_ERROR_OUT_OF_MEMORY,
            _ => CUDA_ERROR_FILE_NOT_FOUND,
        })?;
        // The rest after the first NUL is no text; one is added in case there is none.
        let file: Vec<u8> = file.into_iter().take_while(|&byte| byte != 0).chain([0]).collect();
        let text = text_of_image(file.as_ptr().cast())?;
        load(module, text.to_bytes(), &Logs::default())
    }
    /// Loads PTX from memory (F63).
    fn cuModuleLoadData(module: *mut CUmodule, image: *const c_void) {
        let _current = stack::current_life()?;
        entry::wanted(module)?;
        load(module, text_of_image(image)?.to_bytes(), &Logs::default())
    }
    /// Loads PTX from memory and says what is wrong with it.
    fn cuModuleLoadDataEx(
        module: *mut CUmodule,
        image: *const c_void,
        numOptions: c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut c_void,
    ) {
        let _current = stack::current_life()?;
        entry::wanted(module)?;
        let logs = Logs::new(numOptions, options, optionValues)?;
        let image = text_of_image(image).inspect_err(|_| logs.write(NO_IMAGE))?;
        load(module, image.to_bytes(), &logs)
    }
    /// Unloads, once all work of the context is finished (F50).
    fn cuModuleUnload(hmod: CUmodule) {
        let _known = find(hmod)?;
        capture::check_unsafe()?;
        let module = state().modules.remove(hmod.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        for (_, handle) in sync::lock(&module.functions).drain() {
            state().functions.remove(handle);
        }
        module.life.settle();
        free(&module.addresses);
        Ok(())
    }
    /// A kernel by name, with the same handle each time.
    fn cuModuleGetFunction(hfunc: *mut CUfunction, hmod: CUmodule, name: *const c_char) {
        entry::wanted(hfunc)?;
        let module = find(hmod)?;
        let name = entry::text(name)?.to_bytes();
        if name.is_empty() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let kernels = &module.code.kernels;
        let kernel = kernels.iter().position(|kernel| kernel.name.as_bytes() == name);
        let kernel = kernel.ok_or(CUDA_ERROR_NOT_FOUND)?;
        let mut functions = sync::lock(&module.functions);
        let handle = *functions.entry(kernel).or_insert_with(|| {
            let module = module.clone();
            state().functions.insert(|_| Function { module, kernel }).0
        });
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
        let name = entry::text(name)?.to_bytes();
        let kernel = module.code.kernels.iter().any(|kernel| kernel.name.as_bytes() == name);
        if kernel || (dptr.is_null() && bytes.is_null()) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let mut variables = module.code.globals.iter().zip(&module.addresses);
        let found = variables.find(|(variable, _)| variable.name.as_bytes() == name);
        let (variable, &address) = found.ok_or(CUDA_ERROR_NOT_FOUND)?;
        entry::write_optional(dptr, address);
        entry::write_optional(bytes, variable.size);
        Ok(())
    }
}
