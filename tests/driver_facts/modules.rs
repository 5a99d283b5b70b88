//! Modules, libraries, compiler and linker: F270 to F289.

use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut, without_provenance_mut};
use std::sync::{Mutex, MutexGuard, PoisonError};

const TEXT: &CStr = c".version 7.0
.target sm_52
.address_size 64
.visible .global .align 4 .u32 counter = 7;
.visible .entry first(.param .u32 n, .param .u64 p) { ret; }
.visible .entry second() { ret; }
.visible .entry third(.param .align 8 .b8 s[24], .param .u8 t) { ret; }
";
const BAD: &CStr = c".version 7.0
.target sm_52
.address_size 64
.visible .entry bad() { frob; ret; }
";
const CALLER: &CStr = c".version 7.0
.target sm_52
.address_size 64
.extern .func helper();
.visible .entry caller() { call helper; ret; }
";
const HELPER: &CStr = c".version 7.0
.target sm_52
.address_size 64
.visible .func helper() { ret; }
";
/// Text that is no image, and is long enough for all that is read of one (F113).
const GARBAGE: [u8; 256] = [b'g'; 256];
const NO_BINARY: CUresult = CUDA_ERROR_NO_BINARY_FOR_GPU;
const INVALID_SOURCE: CUresult = CUDA_ERROR_INVALID_SOURCE;
const CAPTURED: CUresult = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;

/// These tests run one after another: what one captures refuses what another one loads (F141).
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A context, current, and the text loaded in it.
fn place() -> (Place, CUmodule) {
    let place = Place::new();
    ok!(cuCtxPushCurrent_v2(place.context));
    let module = made!(cuModuleLoadData(TEXT.as_ptr().cast()));
    (place, module)
}

fn library() -> CUlibrary {
    ok!(cuInit(0));
    load_library(TEXT.as_ptr().cast()).1
}

fn load_library(image: *const c_void) -> (CUresult, CUlibrary) {
    let mut library = null_mut();
    let (none, nothing) = (null_mut(), null_mut());
    let code = code!(cuLibraryLoadData(
        &raw mut library,
        image,
        none,
        nothing,
        0,
        null_mut(),
        null_mut(),
        0
    ));
    (code, library)
}

fn text(name: *const c_char) -> String {
    // SAFETY: a name of the driver, which lives as long as what it is of.
    unsafe { CStr::from_ptr(name) }.to_str().unwrap().to_owned()
}

/// F270
#[test]
fn functions_and_kernels_are_counted_enumerated_and_named() {
    let _alone = alone();
    has!(cuModuleGetFunctionCount, cuModuleEnumerateFunctions, cuFuncGetName);
    has!(cuLibraryGetKernelCount, cuLibraryEnumerateKernels, cuKernelGetName);
    let (place, module) = place();
    let mut count = 9;
    ok!(newer cuModuleGetFunctionCount(&raw mut count, module));
    assert_eq!(count, 3);
    let mut functions = [null_mut(); 4];
    ok!(newer cuModuleEnumerateFunctions(functions.as_mut_ptr(), 2, module));
    assert!(!functions[1].is_null() && functions[2].is_null());
    ok!(newer cuModuleEnumerateFunctions(functions.as_mut_ptr(), 4, module));
    assert!(!functions[2].is_null() && functions[3].is_null());
    let names: Vec<_> =
        functions[..3].iter().map(|&f| text(made!(newer cuFuncGetName(f)))).collect();
    assert_eq!(names, ["first", "second", "third"]);
    assert_eq!(made!(cuModuleGetFunction(module, c"second".as_ptr())) as CUfunction, functions[1]);
    assert_eq!(made!(cuFuncGetModule(functions[1])) as CUmodule, module);
    assert_eq!(newer!(cuModuleGetFunctionCount(null_mut(), module)), INVALID_VALUE);
    assert_eq!(newer!(cuModuleGetFunctionCount(&raw mut count, null_mut())), INVALID_HANDLE);
    assert_eq!(newer!(cuModuleEnumerateFunctions(null_mut(), 0, module)), INVALID_VALUE);
    assert_eq!(newer!(cuFuncGetName(null_mut(), functions[0])), INVALID_VALUE);
    let mut name = null::<c_char>();
    assert_eq!(newer!(cuFuncGetName(&raw mut name, null_mut())), INVALID_VALUE);
    place.destroy();

    let library = library();
    ok!(newer cuLibraryGetKernelCount(&raw mut count, library));
    assert_eq!(count, 3);
    let mut kernels = [null_mut(); 4];
    ok!(newer cuLibraryEnumerateKernels(kernels.as_mut_ptr(), 4, library));
    let names: Vec<_> =
        kernels[..3].iter().map(|&k| text(made!(newer cuKernelGetName(k)))).collect();
    assert_eq!(names, ["third", "second", "first"]);
    assert_eq!(made!(cuLibraryGetKernel(library, c"first".as_ptr())) as CUkernel, kernels[2]);
    ok!(cuLibraryUnload(library));
}

/// F271
#[test]
fn a_function_that_was_asked_for_is_loaded() {
    let _alone = alone();
    has!(cuFuncIsLoaded, cuFuncLoad);
    let (place, module) = place();
    let function: CUfunction = made!(cuModuleGetFunction(module, c"first".as_ptr()));
    let loaded = || made!(newer cuFuncIsLoaded(function)) as CUfunctionLoadingState;
    assert_eq!(loaded(), CU_FUNCTION_LOADING_STATE_LOADED);
    for _ in 0..2 {
        ok!(newer cuFuncLoad(function));
    }
    assert_eq!(loaded(), CU_FUNCTION_LOADING_STATE_LOADED);
    let mut state = CU_FUNCTION_LOADING_STATE_LOADED;
    assert_eq!(newer!(cuFuncIsLoaded(null_mut(), function)), INVALID_VALUE);
    assert_eq!(newer!(cuFuncIsLoaded(&raw mut state, null_mut())), INVALID_HANDLE);
    assert_eq!(newer!(cuFuncLoad(null_mut())), INVALID_HANDLE);
    place.destroy();
}

/// F272, F274
#[test]
fn what_is_asked_and_set_of_functions_needs_no_current_context() {
    let _alone = alone();
    has!(cuModuleGetFunctionCount, cuFuncGetName, cuFuncIsLoaded, cuFuncLoad);
    let (place, module) = place();
    let function: CUfunction = made!(cuModuleGetFunction(module, c"first".as_ptr()));
    pop();
    let _: u32 = made!(newer cuModuleGetFunctionCount(module));
    let _: *const c_char = made!(newer cuFuncGetName(function));
    let _: CUmodule = made!(cuFuncGetModule(function));
    let _: CUfunctionLoadingState = made!(newer cuFuncIsLoaded(function));
    ok!(newer cuFuncLoad(function));
    ok!(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024));
    ok!(cuFuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_L1));
    ok!(cuFuncSetSharedMemConfig(function, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
    let mode: CUmoduleLoadingMode = made!(cuModuleGetLoadingMode());
    assert!([CU_MODULE_LAZY_LOADING, CU_MODULE_EAGER_LOADING].contains(&mode));
    place.destroy();
}

/// F273
#[test]
fn the_attributes_of_a_function_have_ranges() {
    let _alone = alone();
    let (place, module) = place();
    let function: CUfunction = made!(cuModuleGetFunction(module, c"second".as_ptr()));
    let get = |attribute| made!(cuFuncGetAttribute(attribute, function)) as i32;
    let set = |attribute, value| code!(cuFuncSetAttribute(function, attribute, value));
    let carveout = CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
    assert_eq!(get(carveout), -1);
    for (asked, code) in
        [(-2, INVALID_VALUE), (-1, SUCCESS), (0, SUCCESS), (100, SUCCESS), (101, INVALID_VALUE)]
    {
        assert_eq!(set(carveout, asked), code, "{asked}");
    }
    for fixed in (0..=7).chain([10, 16, 17, 18, 99]).map(CUfunction_attribute) {
        assert_eq!(set(fixed, 1), INVALID_VALUE, "{fixed:?}");
    }
    for free in (11..=15).map(CUfunction_attribute) {
        assert_eq!((get(free), set(free, 1), get(free)), (0, SUCCESS, 1), "{free:?}");
    }
    let scheduling = CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
    assert_eq!((set(scheduling, 3), set(scheduling, -1)), (INVALID_VALUE, INVALID_VALUE));
    for (config, code) in [(0, SUCCESS), (3, SUCCESS), (4, INVALID_VALUE)] {
        assert_eq!(code!(cuFuncSetCacheConfig(function, CUfunc_cache(config))), code);
    }
    for (config, code) in [(0, SUCCESS), (2, SUCCESS), (3, INVALID_VALUE)] {
        assert_eq!(code!(cuFuncSetSharedMemConfig(function, CUsharedconfig(config))), code);
    }
    each_gives!(INVALID_HANDLE; {
        cuFuncSetAttribute(null_mut(), carveout, 1);
        cuFuncSetCacheConfig(null_mut(), CU_FUNC_CACHE_PREFER_L1);
        cuFuncSetSharedMemConfig(null_mut(), CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE);
    });
    within(place.context, || ok!(cuCtxSynchronize()));
    place.destroy();
}

/// F280
#[test]
fn a_kernel_of_a_library_is_launched_as_a_function() {
    let _alone = alone();
    let (place, _) = place();
    let library = library();
    let kernel: CUkernel = made!(cuLibraryGetKernel(library, c"second".as_ptr()));
    let other = Place::new();
    for stream in [place.stream, other.stream, null_mut()] {
        let (function, none) = (kernel.cast(), null_mut());
        ok!(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, none, null_mut()));
    }
    // A function is one of its context.
    let function: CUfunction = made!(cuKernelGetFunction(kernel));
    let none = null_mut();
    let elsewhere =
        code!(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, other.stream, none, null_mut()));
    assert_eq!(elsewhere, INVALID_HANDLE);
    let mut value = 0;
    let attribute = CU_FUNC_ATTRIBUTE_NUM_REGS;
    let asked = code!(cuFuncGetAttribute(&raw mut value, attribute, kernel.cast()));
    assert_eq!(asked, INVALID_HANDLE);
    ok!(cuCtxSynchronize());
    ok!(cuLibraryUnload(library));
    other.destroy();
    place.destroy();
}

/// An entry of a fatbin with PTX.
fn fatbin() -> Vec<u64> {
    let code = TEXT.to_bytes_with_nul();
    let padded = code.len().next_multiple_of(8);
    let mut bytes = Vec::new();
    bytes.extend([0xba55_ed50_u32, 0x10_0001].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend((72 + padded as u64).to_le_bytes());
    bytes.extend([0x0101_0001_u32, 72].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend((padded as u64).to_le_bytes());
    bytes.extend([0_u32, 64, 7, 52, 0, 0].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend([0x11_u64, 0, 0, 0].into_iter().flat_map(u64::to_le_bytes));
    bytes.extend(code);
    bytes.resize(16 + 72 + padded + 128, 0);
    let words = bytes.chunks(8).map(|word| {
        let mut full = [0; 8];
        full[..word.len()].copy_from_slice(word);
        u64::from_ne_bytes(full)
    });
    words.collect()
}

/// F281
#[test]
fn each_way_of_loading_takes_each_image() {
    let _alone = alone();
    let (place, _) = place();
    let fatbin = fatbin();
    for image in [TEXT.as_ptr().cast::<c_void>(), fatbin.as_ptr().cast()] {
        let module: CUmodule = made!(cuModuleLoadFatBinary(image));
        ok!(cuModuleUnload(module));
        let module: CUmodule = made!(cuModuleLoadData(image));
        let _: CUfunction = made!(cuModuleGetFunction(module, c"first".as_ptr()));
    }
    let mut module = null_mut();
    each_gives!(INVALID_VALUE; {
        cuModuleLoadFatBinary(&raw mut module, null());
        cuModuleLoadFatBinary(null_mut(), fatbin.as_ptr().cast());
    });
    assert_eq!(
        code!(cuModuleLoadFatBinary(&raw mut module, GARBAGE.as_ptr().cast())),
        INVALID_IMAGE
    );
    place.destroy();
}

/// Options of the compiler, a log of errors among them.
struct Options {
    options: Vec<CUjit_option>,
    values: Vec<*mut c_void>,
    log: Vec<u8>,
}

impl Options {
    fn new(more: &[(CUjit_option, usize)]) -> Self {
        let mut log = vec![0_u8; 4096];
        let mut options = vec![CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values = vec![log.as_mut_ptr().cast(), without_provenance_mut(log.len())];
        options.extend(more.iter().map(|(option, _)| option));
        values.extend(more.iter().map(|&(_, value)| without_provenance_mut::<c_void>(value)));
        Options { options, values, log }
    }

    fn load(&mut self, image: &CStr) -> CUresult {
        let mut module = null_mut();
        let (options, values) = (self.options.as_mut_ptr(), self.values.as_mut_ptr());
        let count = self.options.len() as u32;
        code!(cuModuleLoadDataEx(&raw mut module, image.as_ptr().cast(), count, options, values))
    }

    fn log(&self) -> String {
        CStr::from_bytes_until_nul(&self.log).unwrap().to_str().unwrap().to_owned()
    }
}

/// F282
#[test]
fn the_logs_of_the_compiler_are_cut_to_their_buffers() {
    let _alone = alone();
    let (place, _) = place();
    let mut options = Options::new(&[]);
    assert_eq!(options.load(BAD), INVALID_PTX);
    assert!(options.log().contains("line 4; error   : "), "{}", options.log());
    assert_eq!(options.values[1].addr(), options.log().len());
    let mut info = vec![0_u8; 4096];
    let mut options = Options::new(&[(CU_JIT_LOG_VERBOSE, 1), (CU_JIT_WALL_TIME, 0)]);
    options.options.extend([CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES]);
    options.values.extend([info.as_mut_ptr().cast(), without_provenance_mut(info.len())]);
    // What is in the driver's cache of compiled code is not compiled, and gives no information.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let new = CString::new(format!("{}// {}", TEXT.to_str().unwrap(), now.as_nanos())).unwrap();
    assert_eq!(options.load(&new), SUCCESS);
    assert_eq!(options.log(), "");
    let text = CStr::from_bytes_until_nul(&info).unwrap().to_str().unwrap();
    assert!(text.contains("Compiling entry function 'third' for 'sm_"), "{text}");
    assert!(f32::from_bits(options.values[3].addr() as u32) > 0.0);
    place.destroy();
}

/// F283
#[test]
fn options_of_the_compiler_have_their_codes() {
    let _alone = alone();
    let (place, _) = place();
    for (option, value, code) in [
        (CU_JIT_MAX_REGISTERS, 16, SUCCESS),
        (CU_JIT_MAX_REGISTERS, 0, INVALID_VALUE),
        (CU_JIT_THREADS_PER_BLOCK, 128, SUCCESS),
        (CU_JIT_OPTIMIZATION_LEVEL, 0, SUCCESS),
        (CU_JIT_OPTIMIZATION_LEVEL, 100, SUCCESS),
        (CU_JIT_TARGET_FROM_CUCONTEXT, 0, SUCCESS),
        (CU_JIT_TARGET, 12_345, INVALID_VALUE),
        (CU_JIT_FALLBACK_STRATEGY, 2, SUCCESS),
        (CU_JIT_GENERATE_DEBUG_INFO, 1, SUCCESS),
        (CU_JIT_GENERATE_LINE_INFO, 1, SUCCESS),
        (CU_JIT_CACHE_MODE, 2, SUCCESS),
        (CU_JIT_CACHE_MODE, 3, INVALID_VALUE),
        (CU_JIT_NEW_SM3X_OPT, 1, INVALID_PTX),
        (CU_JIT_FAST_COMPILE, 1, SUCCESS),
        (CU_JIT_GLOBAL_SYMBOL_NAMES, 0, INVALID_VALUE),
        (CU_JIT_GLOBAL_SYMBOL_ADDRESSES, 0, INVALID_VALUE),
        (CU_JIT_GLOBAL_SYMBOL_COUNT, 0, INVALID_VALUE),
        (CU_JIT_REFERENCED_KERNEL_NAMES, 0, INVALID_VALUE),
        (CU_JIT_REFERENCED_KERNEL_COUNT, 0, SUCCESS),
        (CU_JIT_REFERENCED_VARIABLE_NAMES, 0, INVALID_VALUE),
        (CU_JIT_LTO, 1, SUCCESS),
        (CU_JIT_POSITION_INDEPENDENT_CODE, 1, SUCCESS),
        (CU_JIT_MIN_CTA_PER_SM, 4, SUCCESS),
        (CU_JIT_MAX_THREADS_PER_BLOCK, 128, SUCCESS),
        (CU_JIT_OVERRIDE_DIRECTIVE_VALUES, 1, SUCCESS),
        (CU_JIT_SPLIT_COMPILE, 2, SUCCESS),
        (CUjit_option(1000), 0, INVALID_VALUE),
    ] {
        assert_eq!(Options::new(&[(option, value)]).load(TEXT), code, "{option:?} = {value}");
    }
    let mut both = Options::new(&[(CU_JIT_GENERATE_DEBUG_INFO, 1), (CU_JIT_OPTIMIZATION_LEVEL, 3)]);
    assert_eq!(both.load(TEXT), INVALID_PTX);
    place.destroy();
}

/// F284
#[test]
fn a_library_of_anything_loads_and_asking_for_a_kernel_tells() {
    let _alone = alone();
    has!(cuLibraryGetKernelCount);
    ok!(cuInit(0));
    let images = [(BAD.as_ptr().cast(), INVALID_PTX), (GARBAGE.as_ptr().cast(), INVALID_IMAGE)];
    for (image, told) in images {
        let (code, library) = load_library(image);
        assert_eq!(code, SUCCESS);
        let mut count = 9;
        ok!(newer cuLibraryGetKernelCount(&raw mut count, library));
        assert_eq!(count, 0);
        let mut kernel = null_mut();
        for name in [c"bad", c""] {
            assert_eq!(code!(cuLibraryGetKernel(&raw mut kernel, library, name.as_ptr())), told);
        }
        ok!(cuLibraryUnload(library));
    }
    let library = library();
    let mut kernel = null_mut();
    for name in [c"", c"none", c"counter"] {
        assert_eq!(code!(cuLibraryGetKernel(&raw mut kernel, library, name.as_ptr())), NOT_FOUND);
    }
    ok!(cuLibraryUnload(library));
}

/// F285
#[test]
fn of_a_library_what_is_of_a_context_needs_one() {
    let _alone = alone();
    has!(cuKernelGetParamInfo, cuKernelGetLibrary);
    let library = library();
    let kernel: CUkernel = made!(cuLibraryGetKernel(library, c"first".as_ptr()));
    let (mut function, mut module, mut address, mut bytes) = (null_mut(), null_mut(), 0, 0_usize);
    let counter = c"counter".as_ptr();
    let (mut offset, mut unified) = (0, null_mut());
    each_gives!(INVALID_CONTEXT; {
        cuKernelGetFunction(&raw mut function, kernel);
        cuLibraryGetModule(&raw mut module, library);
        cuLibraryGetGlobal(&raw mut address, &raw mut bytes, library, counter);
    });
    let size = &raw mut bytes;
    assert_eq!(newer!(cuKernelGetParamInfo(kernel, 0, &raw mut offset, size)), INVALID_CONTEXT);
    assert_eq!(code!(cuLibraryGetManaged(&raw mut address, size, library, counter)), NOT_FOUND);
    let name = c"first".as_ptr();
    assert_eq!(code!(cuLibraryGetUnifiedFunction(&raw mut unified, library, name)), INVALID_VALUE);
    assert_eq!(made!(newer cuKernelGetLibrary(kernel)) as CUlibrary, library);
    let dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    assert_eq!(made!(cuKernelGetAttribute(dynamic, kernel, 0)) as i32, 49_152);
    let mut value = 0;
    each_gives!(INVALID_DEVICE; {
        cuKernelGetAttribute(&raw mut value, dynamic, kernel, 99);
        cuKernelSetAttribute(dynamic, 1, kernel, 99);
        cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 99);
    });
    each_gives!(INVALID_VALUE; {
        cuKernelSetAttribute(dynamic, 1 << 30, kernel, 0);
        cuKernelSetCacheConfig(kernel, CUfunc_cache(9), 0);
    });
    let place = Place::new();
    ok!(cuCtxPushCurrent_v2(place.context));
    let function: CUfunction = made!(cuKernelGetFunction(kernel));
    let module: CUmodule = made!(cuLibraryGetModule(library));
    assert_eq!(made!(cuFuncGetModule(function)) as CUmodule, module);
    assert_eq!(made!(cuModuleGetFunction(module, name)) as CUfunction, function);
    assert_eq!(code!(cuModuleUnload(module)), NOT_PERMITTED);
    ok!(cuLibraryGetGlobal(&raw mut address, size, library, counter));
    assert_eq!(bytes, 4);
    ok!(newer cuKernelGetParamInfo(kernel, 1, &raw mut offset, size));
    assert_eq!((offset, bytes), (8, 8));
    assert_eq!(newer!(cuKernelGetParamInfo(kernel, 2, &raw mut offset, size)), INVALID_VALUE);
    // Each context has its own.
    let other = Place::new();
    let there = within(other.context, || made!(cuKernelGetFunction(kernel)) as CUfunction);
    assert_ne!(there, function);
    pop();
    ok!(cuLibraryUnload(library));
    other.destroy();
    place.destroy();
}

/// F286
#[test]
fn bringing_a_library_to_a_context_and_unloading_it_wait_for_all_work() {
    let _alone = alone();
    fresh!(bringing_a_library_to_a_context_and_unloading_it_wait_for_all_work, {
        let (place, _) = place();
        let library = library();
        let kernel: CUkernel = made!(cuLibraryGetKernel(library, c"second".as_ptr()));
        let spin = place.kernel(c"spin");
        let work = || {
            let mut nanoseconds = 200_000_000_u64;
            let (stream, mut arguments) = (place.stream, [(&raw mut nanoseconds).cast::<c_void>()]);
            let (arguments, none) = (arguments.as_mut_ptr(), null_mut());
            ok!(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, stream, arguments, none));
        };
        work();
        let _: CUfunction = made!(cuKernelGetFunction(kernel));
        assert_eq!(code!(cuStreamQuery(place.stream)), SUCCESS);
        work();
        ok!(cuLibraryUnload(library));
        assert_eq!(code!(cuStreamQuery(place.stream)), SUCCESS);
        place.destroy();
    });
}

/// F287
#[test]
fn unloading_a_library_spoils_captures_that_are_not_relaxed() {
    let _alone = alone();
    let (place, _) = place();
    for (mode, code) in [
        (CU_STREAM_CAPTURE_MODE_GLOBAL, CAPTURED),
        (CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CAPTURED),
        (CU_STREAM_CAPTURE_MODE_RELAXED, SUCCESS),
    ] {
        let library = library();
        ok!(cuStreamBeginCapture_v2(place.stream, mode));
        let kernel: CUkernel = made!(cuLibraryGetKernel(library, c"second".as_ptr()));
        let _: CUfunction = made!(cuKernelGetFunction(kernel));
        let other = self::library();
        assert_eq!(code!(cuLibraryUnload(library)), code);
        let mut graph = null_mut();
        let ended = code!(cuStreamEndCapture(place.stream, &raw mut graph));
        assert_eq!(ended == SUCCESS, code == SUCCESS);
        ok!(cuLibraryUnload(other));
        if code != SUCCESS {
            ok!(cuLibraryUnload(library));
        }
    }
    place.destroy();
}

/// F288
#[test]
fn what_is_set_of_a_kernel_holds_for_functions_to_come() {
    let _alone = alone();
    let library = library();
    let kernel: CUkernel = made!(cuLibraryGetKernel(library, c"first".as_ptr()));
    let dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    let set = |bytes| ok!(cuKernelSetAttribute(dynamic, bytes, kernel, 0));
    set(1000);
    let place = Place::new();
    ok!(cuCtxPushCurrent_v2(place.context));
    let function: CUfunction = made!(cuKernelGetFunction(kernel));
    let of_function = || made!(cuFuncGetAttribute(dynamic, function)) as i32;
    assert_eq!(of_function(), 1000);
    ok!(cuFuncSetAttribute(function, dynamic, 3000));
    assert_eq!(made!(cuKernelGetAttribute(dynamic, kernel, 0)) as i32, 1000);
    set(4000);
    assert_eq!(of_function(), 3000);
    pop();
    ok!(cuLibraryUnload(library));
    place.destroy();
}

/// F289
#[test]
fn the_linker_names_what_is_missing_and_what_is_there_twice() {
    let _alone = alone();
    let (place, _) = place();
    let mut state = null_mut();
    pop();
    assert_eq!(code!(cuLinkCreate_v2(0, null_mut(), null_mut(), &raw mut state)), INVALID_CONTEXT);
    ok!(cuCtxPushCurrent_v2(place.context));
    let begin = |options: &mut Options| {
        let (list, values) = (options.options.as_mut_ptr(), options.values.as_mut_ptr());
        let mut state = null_mut();
        ok!(cuLinkCreate_v2(options.options.len() as u32, list, values, &raw mut state));
        state
    };
    let add = |state, text: &CStr, name: &str| {
        let (kind, name) = (CU_JIT_INPUT_PTX, CString::new(name).unwrap());
        let data = text.as_ptr().cast_mut().cast();
        let size = text.to_bytes_with_nul().len();
        code!(cuLinkAddData_v2(state, kind, data, size, name.as_ptr(), 0, null_mut(), null_mut()))
    };
    let complete = |state| {
        let (mut image, mut size) = (null_mut(), 0);
        (code!(cuLinkComplete(state, &raw mut image, &raw mut size)), image, size)
    };
    let mut options = Options::new(&[]);
    let state = begin(&mut options);
    assert_eq!(add(state, CALLER, "a"), SUCCESS);
    // No context need be current.
    pop();
    assert_eq!(add(state, HELPER, "b"), SUCCESS);
    let (code, image, size) = complete(state);
    assert_eq!(code, SUCCESS);
    assert!(size > 0);
    assert_eq!(complete(state).0, INVALID_HANDLE);
    assert_eq!(add(state, HELPER, "late"), INVALID_VALUE);
    ok!(cuCtxPushCurrent_v2(place.context));
    let module: CUmodule = made!(cuModuleLoadData(image.cast_const()));
    let _: CUfunction = made!(cuModuleGetFunction(module, c"caller".as_ptr()));
    ok!(cuLinkDestroy(state));

    let mut options = Options::new(&[]);
    let state = begin(&mut options);
    assert_eq!(add(state, CALLER, "a"), SUCCESS);
    assert_eq!(complete(state).0, INVALID_SOURCE);
    assert_eq!(options.log(), "error   : Undefined reference to 'helper' in 'a'");
    ok!(cuLinkDestroy(state));

    let mut options = Options::new(&[]);
    let state = begin(&mut options);
    assert_eq!(add(state, HELPER, "a"), SUCCESS);
    assert_eq!(add(state, HELPER, "b"), INVALID_SOURCE);
    assert_eq!(
        options.log(),
        "error   : Multiple definition of 'helper' in 'b', first defined in 'a'"
    );
    assert_eq!(complete(state).0, INVALID_SOURCE);
    ok!(cuLinkDestroy(state));

    // What does not compile is left out, and the rest is linked.
    let mut options = Options::new(&[]);
    let state = begin(&mut options);
    assert_eq!(add(state, BAD, "bad"), INVALID_PTX);
    assert!(options.log().contains("line 4; error   : "), "{}", options.log());
    assert_eq!((add(state, HELPER, "b"), complete(state).0), (SUCCESS, SUCCESS));
    ok!(cuLinkDestroy(state));
    assert_eq!(code!(cuLinkDestroy(null_mut())), INVALID_HANDLE);
    place.destroy();
}

/// F265
#[test]
fn compressed_code_in_a_fatbin_loads() {
    let _alone = alone();
    let (place, _) = place();
    let images = [
        include_bytes!("../code/signatures.lz4.fatbin").as_slice(),
        include_bytes!("../code/signatures.zstd.fatbin"),
    ];
    for image in images {
        let image = [image, &[0; 128]].concat();
        let module: CUmodule = made!(cuModuleLoadData(image.as_ptr().cast()));
        let _: CUfunction = made!(cuModuleGetFunction(module, c"saxpy".as_ptr()));
        ok!(cuModuleUnload(module));
    }
    place.destroy();
}

/// F281
#[test]
fn machine_code_of_another_architecture_does_not_load() {
    let _alone = alone();
    let (place, _) = place();
    let mut cubin = include_bytes!("../code/signatures.cubin").to_vec();
    // The architecture, in the flags of the header: 9.0 becomes 8.0.
    cubin[49] = 80;
    cubin.resize(cubin.len() + 128, 0);
    let mut module = null_mut();
    assert_eq!(code!(cuModuleLoadData(&raw mut module, cubin.as_ptr().cast())), NO_BINARY);
    place.destroy();
}
