//! The driver functions about [`library`](crate::model::library).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::{function, module};
use crate::entry::Answer;
use crate::model::jit::Logs;
use crate::model::library::KERNELS;
use crate::model::library::LIBRARIES;
use crate::model::library::{Library, find_kernel, function_in};
use crate::model::module::MODULES;
use crate::model::{capture, device, module as module_model, stack};
use crate::{entry, summary, sync};
use core::ffi::{c_char, c_int, c_uint, c_void};
use cuscope_sys::*;
use std::sync::Arc;

fn find(handle: CUlibrary) -> Answer<Arc<Library>> {
    LIBRARIES.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)
}

/// Loads whatever it is: what is wrong shows when something of it is asked for (F284).
fn load(
    to: *mut CUlibrary,
    image: *const c_void,
    (options, values, count): (*const CUjit_option, *mut *mut c_void, c_uint),
) -> Answer {
    let logs = Logs::read(count, options, values)?;
    // Of a target that is none it says what it says of no image (F283).
    let target = logs.target().map_err(|_| CUDA_ERROR_INVALID_IMAGE);
    let code = target.and_then(|()| module::image(image, &logs));
    let code = code.and_then(|text| module::compile(&text, &logs));
    let code = code.map(Arc::new);
    let make = |handle| {
        let (managed, modules, kernels) = Default::default();
        Library { handle, code, managed, modules, kernels }
    };
    let (handle, _) = LIBRARIES.insert(make);
    entry::write(to, std::ptr::without_provenance_mut(handle))
}

/// Unknown options of the library are INVALID_VALUE; that the code stays where it is goes for memory.
fn check_options(options: *const CUlibraryOption, count: c_uint, memory: bool) -> Answer {
    for i in 0..count as usize {
        match entry::element(options, i)? {
            CU_LIBRARY_BINARY_IS_PRESERVED if memory => {}
            CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE => {
                return Err(CUDA_ERROR_NOT_SUPPORTED);
            }
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    Ok(())
}

driver! {
    /// Loads PTX, alone or in a fatbin, for all contexts; none need be current (F285).
    fn cuLibraryLoadData(
        library: *mut CUlibrary,
        code: *const c_void,
        jitOptions: *mut CUjit_option,
        jitOptionsValues: *mut *mut c_void,
        numJitOptions: c_uint,
        libraryOptions: *mut CUlibraryOption,
        libraryOptionValues: *mut *mut c_void,
        numLibraryOptions: c_uint,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE] {
        entry::wanted(library)?;
        entry::wanted(code)?;
        let _values = libraryOptionValues;
        check_options(libraryOptions, numLibraryOptions, true)?;
        load(library, code, (jitOptions, jitOptionsValues, numJitOptions))
    }
    /// The same from a file.
    fn cuLibraryLoadFromFile(
        library: *mut CUlibrary,
        fileName: *const c_char,
        jitOptions: *mut CUjit_option,
        jitOptionsValues: *mut *mut c_void,
        numJitOptions: c_uint,
        libraryOptions: *mut CUlibraryOption,
        libraryOptionValues: *mut *mut c_void,
        numLibraryOptions: c_uint,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE] {
        entry::wanted(library)?;
        let name = entry::path(fileName)?;
        let _values = libraryOptionValues;
        check_options(libraryOptions, numLibraryOptions, false)?;
        let file = std::fs::read(name).map_err(|_| CUDA_ERROR_FILE_NOT_FOUND)?;
        let file: Vec<u8> = file.into_iter().chain([0; 128]).collect();
        load(library, file.as_ptr().cast(), (jitOptions, jitOptionsValues, numJitOptions))
    }
    /// Unloads from all contexts, once their work is finished (F286, F287).
    fn cuLibraryUnload(library: CUlibrary) [null(0) = CUDA_ERROR_INVALID_HANDLE] {
        let _known = find(library)?;
        capture::check_unsafe()?;
        let known = LIBRARIES.remove(library.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        for (_, handle) in sync::lock(&known.kernels).drain() {
            KERNELS.remove(handle);
        }
        for handle in sync::lock(&known.modules).drain(..) {
            if let Some(module) = MODULES.remove(handle) {
                module.end();
            }
        }
        module_model::free(known.managed.get().map_or(&[], |all| all));
        Ok(())
    }
    /// A kernel by name, with the same handle each time (F270, F284).
    fn cuLibraryGetKernel(pKernel: *mut CUkernel, library: CUlibrary, name: *const c_char) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        null(1) = CUDA_ERROR_INVALID_HANDLE,
        null(2) = CUDA_ERROR_INVALID_VALUE,
    ] {
        entry::wanted(pKernel)?;
        let library = find(library)?;
        let name = entry::text(name)?.to_bytes();
        let kernels = &library.code()?.kernels;
        let index = kernels.iter().position(|kernel| kernel.name.as_bytes() == name);
        if name.is_empty() && index.is_none() {
            // The way to learn whether the code is good.
            summary::expected();
        }
        let handle = library.kernel(index.ok_or(CUDA_ERROR_NOT_FOUND)?)?;
        entry::write(pKernel, std::ptr::without_provenance_mut(handle))
    }
    /// How many kernels there are: none in code that is wrong (F284).
    fn cuLibraryGetKernelCount(count: *mut c_uint, lib: CUlibrary) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        null(1) = CUDA_ERROR_INVALID_HANDLE,
    ] {
        entry::wanted(count)?;
        let library = find(lib)?;
        entry::write(count, library.code().map_or(0, |code| code.kernels.len()) as c_uint)
    }
    /// At most so many kernels, the last of the text first (F270).
    fn cuLibraryEnumerateKernels(kernels: *mut CUkernel, numKernels: c_uint, lib: CUlibrary) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        null(2) = CUDA_ERROR_INVALID_HANDLE,
    ] {
        entry::wanted(kernels)?;
        let library = find(lib)?;
        let count = library.code().map_or(0, |code| code.kernels.len());
        for (i, index) in (0..count).rev().take(numKernels as usize).enumerate() {
            let handle = library.kernel(index)?;
            entry::write(kernels.wrapping_add(i), std::ptr::without_provenance_mut(handle))?;
        }
        Ok(())
    }
    /// The module that a library is in the current context (F285).
    fn cuLibraryGetModule(pMod: *mut CUmodule, library: CUlibrary) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        null(1) = CUDA_ERROR_INVALID_HANDLE,
    ] {
        entry::wanted(pMod)?;
        let library = find(library)?;
        let module = library.module_in(&crate::calls::stack::current_home()?)?;
        entry::write(pMod, std::ptr::without_provenance_mut(module.handle))
    }
    /// A variable in the current context (F285).
    fn cuLibraryGetGlobal(
        dptr: *mut CUdeviceptr,
        bytes: *mut usize,
        library: CUlibrary,
        name: *const c_char,
    ) {
        if dptr.is_null() && bytes.is_null() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let library = find(library)?;
        let name = entry::text(name)?.to_bytes();
        let module = library.module_in(&crate::calls::stack::current_home()?)?;
        module.write_variable(name, dptr, bytes)
    }
    /// A managed variable, which is the same one in all contexts; none need be current (F651).
    fn cuLibraryGetManaged(
        dptr: *mut CUdeviceptr,
        bytes: *mut usize,
        library: CUlibrary,
        name: *const c_char,
    ) {
        if dptr.is_null() && bytes.is_null() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let library = find(library)?;
        let (address, size) = library.managed_variable(entry::text(name)?.to_bytes())?;
        entry::write_optional(dptr, address);
        entry::write_optional(bytes, size);
        Ok(())
    }
    /// No function is unified (F285).
    fn cuLibraryGetUnifiedFunction(
        fptr: *mut *mut c_void,
        library: CUlibrary,
        symbol: *const c_char,
    ) {
        entry::wanted(fptr)?;
        let _library = find(library)?;
        let _symbol = entry::text(symbol)?;
        Err(CUDA_ERROR_INVALID_VALUE)
    }
    /// Gives the function that a kernel is in the current context (F285).
    fn cuKernelGetFunction(pFunc: *mut CUfunction, kernel: CUkernel) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        null(1) = CUDA_ERROR_INVALID_HANDLE,
    ] {
        entry::wanted(pFunc)?;
        let _known = find_kernel(kernel)?;
        let function = function_in(kernel, &crate::calls::stack::current_home()?)?;
        entry::write(pFunc, function)
    }
    /// The library of a kernel.
    fn cuKernelGetLibrary(pLib: *mut CUlibrary, kernel: CUkernel) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        null(1) = CUDA_ERROR_INVALID_HANDLE,
    ] {
        entry::wanted(pLib)?;
        let handle = find_kernel(kernel)?.library.handle;
        entry::write(pLib, std::ptr::without_provenance_mut(handle))
    }
    /// One attribute of a kernel on a device (F285).
    fn cuKernelGetAttribute(
        pi: *mut c_int,
        attrib: CUfunction_attribute,
        kernel: CUkernel,
        dev: CUdevice,
    ) {
        entry::wanted(pi)?;
        let kernel = find_kernel(kernel)?;
        let settings = kernel.settings(device::device(dev)?.ordinal)?;
        entry::write(pi, settings.get(kernel.library.code()?, kernel.code()?, attrib)?)
    }
    /// Sets an attribute on a device, for contexts that do not have the kernel yet (F288).
    fn cuKernelSetAttribute(
        attrib: CUfunction_attribute,
        val: c_int,
        kernel: CUkernel,
        dev: CUdevice,
    ) {
        let kernel = find_kernel(kernel)?;
        let device = device::device(dev)?.ordinal;
        let mut settings = kernel.settings(device)?;
        settings.set(kernel.code()?, attrib, val)?;
        sync::lock(&kernel.settings).insert(device, settings);
        Ok(())
    }
    /// Prefers a split of L1 cache and shared memory: nothing here depends on it.
    fn cuKernelSetCacheConfig(kernel: CUkernel, config: CUfunc_cache, dev: CUdevice) {
        let _kernel = find_kernel(kernel)?;
        let _device = device::device(dev)?;
        if config > CU_FUNC_CACHE_PREFER_EQUAL { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(()) }
    }
    /// The name of a kernel (F270).
    fn cuKernelGetName(name: *mut *const c_char, hfunc: CUkernel) {
        entry::wanted(name)?;
        entry::wanted(hfunc)?;
        function::write_name(name, &find_kernel(hfunc)?.name)
    }
    /// Where a parameter is; needs a current context (F285).
    fn cuKernelGetParamInfo(
        kernel: CUkernel,
        paramIndex: usize,
        paramOffset: *mut usize,
        paramSize: *mut usize,
    ) {
        entry::wanted(paramOffset)?;
        entry::wanted(kernel)?;
        let kernel = find_kernel(kernel)?;
        let _current = stack::current_life()?;
        function::write_param(kernel.code()?, paramIndex, paramOffset, paramSize)
    }
}
